# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server asks of the fields of one object in a pod together. Pure.

OBJECTS: by type, from an object whose fields are sound to the rules that they break, each with the way out.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, Tuple

from .._kube.names import label_value, qualified
from .values import relative

Object = Mapping[str, Any]
Broken = Iterator[Tuple[str, str]]

_UNITS = ["1", *(f"1{unit}" for unit in ("k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))]


def _one_of(what: str, *besides: str, example: str) -> Callable[[Object], Broken]:
    """Return the rule that an object has exactly one of its fields, besides some that it may always have."""

    def rule(value: Object) -> Broken:
        given = [key for key in value if key not in besides]
        if len(given) != 1:
            yield f"must have exactly one {what}", f"Give for example {example}"

    return rule


def _named(field: str) -> Callable[[Object], Broken]:
    """Return the rule that a field is there which the description calls optional."""

    def rule(value: Object) -> Broken:
        if not value.get(field):
            yield f"must have {field}", f"Give {field}"

    return rule


def _env(value: Object) -> Broken:
    if value.get("value") and "valueFrom" in value:
        yield "has both value and valueFrom", "Keep one of them"


def _handler(value: Object) -> Broken:
    if len([key for key in ("exec", "grpc", "httpGet", "sleep", "tcpSocket") if key in value]) != 1:
        yield (
            "must have exactly one of exec, grpc, httpGet, sleep, tcpSocket",
            "Give for example {exec: {command: [true]}}",
        )


def _requirement(value: Object) -> Broken:
    operator, values = value["operator"], value.get("values") or []
    if operator in ("In", "NotIn") and not values:
        yield f"operator {operator} needs values", "Give values"
    if operator in ("Exists", "DoesNotExist") and values:
        yield f"operator {operator} takes no values", "Drop values"
    if operator in ("Gt", "Lt") and (len(values) != 1 or not re.fullmatch(r"-?[0-9]+", values[0])):
        yield f"operator {operator} needs one whole number in values", "Give one"


def _term(value: Object) -> Broken:
    for item in value.get("matchFields") or []:
        if (
            item["key"] != "metadata.name"
            or item["operator"] not in ("In", "NotIn")
            or len(item.get("values") or []) != 1
        ):
            yield "matchFields knows only metadata.name with In or NotIn and one value", "Use matchExpressions"


def _toleration(value: Object) -> Broken:
    operator, text = value.get("operator") or "Equal", value.get("value") or ""
    if operator == "Exists" and text:
        yield "operator Exists takes no value", "Drop value, or use operator Equal"
    if operator == "Equal" and label_value(text):
        yield f"value {label_value(text)}", "Correct value"
    if not value.get("key") and operator != "Exists":
        yield "without key, which means all taints, operator must be Exists", "Give key, or operator: Exists"
    if "tolerationSeconds" in value and value.get("effect") != "NoExecute":
        yield "tolerationSeconds goes with effect NoExecute only", "Drop tolerationSeconds, or set effect: NoExecute"


def _spread(value: Object) -> Broken:
    if "minDomains" in value and value["whenUnsatisfiable"] != "DoNotSchedule":
        yield "minDomains goes with whenUnsatisfiable DoNotSchedule only", "Drop minDomains"
    yield from _label_keys(value)


def _label_keys(value: Object) -> Broken:
    selector = value.get("labelSelector")
    keys = [*(value.get("matchLabelKeys") or []), *(value.get("mismatchLabelKeys") or [])]
    if keys and selector is None:
        yield "matchLabelKeys and mismatchLabelKeys need a labelSelector", "Give labelSelector"
    taken = {*((selector or {}).get("matchLabels") or {})}
    taken |= {item["key"] for item in (selector or {}).get("matchExpressions") or []}
    for key in keys:
        if qualified(key):
            yield f"key {key} {qualified(key)}", "Correct it"
        if key in taken or keys.count(key) > 1:
            yield f"the key {key} is given twice", "Keep one of them"


def _profile(value: Object) -> Broken:
    local = value.get("localhostProfile")
    if value["type"] == "Localhost" and (not local or local != local.strip()):
        yield "type Localhost needs localhostProfile", "Give localhostProfile"
    if value["type"] != "Localhost" and local is not None:
        yield "localhostProfile goes with type Localhost only", "Drop localhostProfile"


def _seccomp(value: Object) -> Broken:
    yield from _profile(value)
    if relative(value.get("localhostProfile") or ""):
        yield f"localhostProfile {relative(value['localhostProfile'])}", "Correct localhostProfile"


def _security(value: Object) -> Broken:
    raised = [name for name in (value.get("capabilities") or {}).get("add") or [] if name == "CAP_SYS_ADMIN"]
    if value.get("allowPrivilegeEscalation") is False and (value.get("privileged") or raised):
        yield "privileged or CAP_SYS_ADMIN contradicts allowPrivilegeEscalation: false", "Keep one of them"


def _mount(value: Object) -> Broken:
    if value.get("subPath") and value.get("subPathExpr"):
        yield "has both subPath and subPathExpr", "Keep one of them"
    recursive = value.get("recursiveReadOnly")
    if recursive in ("Enabled", "IfPossible"):
        if not value.get("readOnly"):
            yield "recursiveReadOnly goes with readOnly: true only", "Set readOnly, or drop recursiveReadOnly"
        if value.get("mountPropagation") not in (None, "None"):
            yield "recursiveReadOnly goes with mountPropagation None only", "Drop one of the two"


def _resource_field(value: Object) -> Broken:
    steps = ["1m", "1"] if value["resource"].endswith(".cpu") else _UNITS
    # The server compares the text: 1k is one, 1e3 is none.
    if str(value.get("divisor", "0")) not in ("0", *steps):
        yield "divisor must be 1 or one unit, such as 1Mi, or 1m of cpu", "Correct divisor"


def _downward_file(value: Object) -> Broken:
    if len([key for key in ("fieldRef", "resourceFieldRef") if key in value]) != 1:
        yield "must have exactly one of fieldRef and resourceFieldRef", "Keep one of them"
    if "resourceFieldRef" in value and not value["resourceFieldRef"].get("containerName"):
        yield "resourceFieldRef of a volume needs containerName", "Give containerName"
    if not value.get("fieldRef", {}).get("fieldPath", "metadata.").startswith("metadata."):
        yield "fieldRef of a volume knows the fields of metadata only", "Use a variable in env instead"


def _claim_template(value: Object) -> Broken:
    spec = value["spec"]
    if not spec.get("accessModes"):
        yield "spec needs accessModes", "Give for example accessModes: [ReadWriteOnce]"
    if not ((spec.get("resources") or {}).get("requests") or {}).get("storage"):
        yield "spec needs resources.requests.storage", "Give the size of the volume"


def _container(value: Object) -> Broken:
    names: List[str] = [item["resourceName"] for item in value.get("resizePolicy") or []]
    if len(names) != len(set(names)):
        yield "resizePolicy names a resource twice", "Drop one of them"
    liveness = [value[key] for key in ("livenessProbe", "startupProbe") if key in value]
    if any(probe.get("successThreshold", 1) != 1 for probe in liveness):
        yield "successThreshold of livenessProbe and startupProbe must be 1", "Drop it"
    if "terminationGracePeriodSeconds" in (value.get("readinessProbe") or {}):
        yield "readinessProbe takes no terminationGracePeriodSeconds", "Drop it"


def _azure_disk(value: Object) -> Broken:
    managed, uri = value.get("kind") == "Managed", value["diskURI"]
    if not uri.startswith("/subscriptions/" if managed else "https://"):
        yield f"diskURI must begin with {'/subscriptions/' if managed else 'https://'}", "Correct diskURI"


def _iscsi(value: Object) -> Broken:
    if (value.get("chapAuthDiscovery") or value.get("chapAuthSession")) and not value.get("secretRef"):
        yield "CHAP needs secretRef", "Give secretRef"


def _fibre_channel(value: Object) -> Broken:
    worldwide, targets = value.get("wwids") or [], value.get("targetWWNs") or []
    if bool(worldwide) == bool(targets):
        yield "must have targetWWNs or wwids", "Give one of them"
    if targets and not 0 <= value.get("lun", -1) <= 255:
        yield "targetWWNs need lun, from 0 to 255", "Give lun"


def _trust_bundle(value: Object) -> Broken:
    if ("name" in value) == ("signerName" in value) or ("name" in value and "labelSelector" in value):
        yield "must have name, or signerName with labelSelector", "Keep one of name and signerName"


def _certificate(value: Object) -> Broken:
    if not any(value.get(key) for key in ("credentialBundlePath", "keyPath", "certificateChainPath")):
        yield "must have credentialBundlePath, keyPath or certificateChainPath", "Give one of them"


def _pod_security(value: Object) -> Broken:
    names = [item["name"] for item in value.get("sysctls") or []]
    if len(names) != len(set(names)):
        yield "sysctls has a name twice", "Drop one of them"


def _host_sysctls(value: Object) -> Broken:
    """A pod in a namespace of its node would change the node's own settings."""
    shared = {"hostNetwork": ("net.",), "hostIPC": ("kernel.sem", "kernel.shm", "kernel.msg", "fs.mqueue.")}
    names = [item["name"] for item in (value.get("securityContext") or {}).get("sysctls") or []]
    for key, beginnings in shared.items():
        # net/core/x is the same as net.core.x.
        theirs = [name for name in names if value.get(key) and name.replace("/", ".").startswith(beginnings)]
        if theirs:
            yield f"with {key} the pod has no {theirs[0]} of its own", f"Set it on the nodes, or drop {key}"


def _pod(value: Object) -> Broken:
    yield from _host_sysctls(value)
    if value.get("dnsPolicy") == "None" and not (value.get("dnsConfig") or {}).get("nameservers"):
        yield "dnsPolicy None needs dnsConfig with nameservers", "Give dnsConfig.nameservers"
    if value.get("shareProcessNamespace") and value.get("hostPID"):
        yield "shareProcessNamespace and hostPID contradict each other", "Drop one of them"
    if value.get("nodeName") and value.get("schedulingGates"):
        yield "nodeName passes by the scheduler, and schedulingGates wait for it", "Drop one of them"
    accounts = [value[key] for key in ("serviceAccount", "serviceAccountName") if value.get(key)]
    if len(set(accounts)) > 1:
        yield "serviceAccount is the old name of serviceAccountName, and says another account", "Drop serviceAccount"
    if value.get("hostnameOverride") and (value.get("setHostnameAsFQDN") or value.get("hostNetwork")):
        yield "hostnameOverride does not go with setHostnameAsFQDN or hostNetwork", "Drop one of them"
    own_users = value.get("hostUsers") is False
    if own_users and (value.get("hostPID") or value.get("hostIPC") or value.get("hostNetwork")):
        yield "hostUsers: false does not go with hostPID, hostIPC or hostNetwork", "Drop one of them"
    grace = value.get("terminationGracePeriodSeconds", 30)
    for container in [*value["containers"], *(value.get("initContainers") or [])]:
        lifecycle, name = container.get("lifecycle") or {}, container["name"]
        for hook in ("postStart", "preStop"):
            if (((lifecycle.get(hook) or {}).get("sleep")) or {}).get("seconds", 0) > grace:
                yield f"{hook} of {name} sleeps longer than terminationGracePeriodSeconds, {grace}", "Raise it"
        if "stopSignal" in lifecycle and "os" not in value:
            yield f"stopSignal of {name} needs the pod's os", "Give os: {name: linux}"
        unmasked = (container.get("securityContext") or {}).get("procMount") == "Unmasked"
        if unmasked and not own_users:
            yield f"procMount Unmasked of {name} needs hostUsers: false", "Give hostUsers: false"
        if own_users and container.get("volumeDevices"):
            yield f"volumeDevices of {name} do not go with hostUsers: false", "Drop one of them"


OBJECTS: Dict[str, Callable[[Object], Broken]] = {
    "AppArmorProfile": _profile,
    "AzureDiskVolumeSource": _azure_disk,
    "ClusterTrustBundleProjection": _trust_bundle,
    "ConfigMapEnvSource": _named("name"),
    "ConfigMapKeySelector": _named("name"),
    "ConfigMapProjection": _named("name"),
    "ConfigMapVolumeSource": _named("name"),
    "Container": _container,
    "DownwardAPIVolumeFile": _downward_file,
    "EnvFromSource": _one_of("source", "prefix", example="{configMapRef: {name: settings}}"),
    "EnvVar": _env,
    "EnvVarSource": _one_of("source", example="{secretKeyRef: {name: token, key: value}}"),
    "EphemeralVolumeSource": _named("volumeClaimTemplate"),
    "ExecAction": _named("command"),
    "FCVolumeSource": _fibre_channel,
    "ISCSIVolumeSource": _iscsi,
    "ImageVolumeSource": _named("reference"),
    "LabelSelectorRequirement": _requirement,
    "LifecycleHandler": _handler,
    "LocalObjectReference": _named("name"),
    "NodeSelectorRequirement": _requirement,
    "NodeSelectorTerm": _term,
    "PersistentVolumeClaimTemplate": _claim_template,
    "PodAffinityTerm": _label_keys,
    "PodCertificateProjection": _certificate,
    "PodDNSConfigOption": _named("name"),
    "PodResourceClaim": _one_of("claim", "name", example="{resourceClaimTemplateName: gpu}"),
    "PodSchedulingGroup": _named("podGroupName"),
    "PodSecurityContext": _pod_security,
    "PodSpec": _pod,
    "Probe": _handler,
    "ResourceFieldSelector": _resource_field,
    "SeccompProfile": _seccomp,
    "SecretEnvSource": _named("name"),
    "SecretKeySelector": _named("name"),
    "SecretProjection": _named("name"),
    "SecretVolumeSource": _named("secretName"),
    "SecurityContext": _security,
    "Toleration": _toleration,
    "TopologySpreadConstraint": _spread,
    "Volume": _one_of("source", "name", example="{name: data, emptyDir: {}}"),
    "VolumeMount": _mount,
    "VolumeProjection": _one_of("source", example="{configMap: {name: settings}}"),
}
