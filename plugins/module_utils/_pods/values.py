# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the API server asks of single values in a pod, beyond their types. Pure.

VALUES: by field, from its value to the rule that it breaks, or nothing.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any, Callable, Dict

from .._kube.image_name import image_rule
from .._kube.names import (
    annotation_map,
    config_key,
    env_name,
    label,
    label_map,
    label_value,
    port_name,
    qualified,
    subdomain,
)
from .._kube.quantity import parse

ValueRule = Callable[[Any], str]

_MOST = 2**31 - 1
_FIELDS = ("name", "namespace", "uid", "labels['<key>']", "annotations['<key>']")
_ENV_PATHS = tuple(f"metadata.{name}" for name in _FIELDS) + (
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['[^']+'\]")
_SEARCH = re.compile(r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*")
_RESOURCE = re.compile(r"(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)")


def _bounds(least: int, highest: int = _MOST) -> ValueRule:
    rule = f"must be from {least} to {highest}" if highest != _MOST else f"must be at least {least}"
    return lambda value: "" if least <= value <= highest else rule


def _filled(value: Any) -> str:
    return "" if value else "must not be empty"


def _or_empty(rule: ValueRule) -> ValueRule:
    return lambda value: rule(value) if value else ""


def _absolute(path: str) -> str:
    return "" if path.startswith("/") else "must be an absolute path"


def _no_backsteps(path: str) -> str:
    return "must not contain .." if ".." in path.split("/") else _filled(path)


def relative(path: str) -> str:
    return "must be a relative path without .." if path.startswith("/") or ".." in path.split("/") else ""


def _file(path: str) -> str:
    return _filled(path) or relative(path) or ("must not begin with .." if path.startswith("..") else "")


def _mount_path(path: str) -> str:
    return "must not contain a colon" if ":" in path else _absolute(path)


def _address(value: str) -> str:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return "must be an IP address"
    return ""


def _field_path(path: str) -> str:
    known = path in _ENV_PATHS or _SUBSCRIPT.fullmatch(path)
    return "" if known and "<" not in path else f"must be one of {', '.join(_ENV_PATHS)}"


def _resource_path(path: str) -> str:
    return (
        "" if _RESOURCE.fullmatch(path) else "must be limits or requests of cpu, memory, ephemeral-storage or hugepages"
    )


def _signer(name: str) -> str:
    domain, slash, path = name.partition("/")
    ok = slash and "." in domain and not subdomain(domain) and path and not subdomain(path)
    return "" if ok else "must be a domain and a path, such as example.org/signer"


def _search(domain: str) -> str:
    ok = domain == "." or _SEARCH.fullmatch(domain[:-1] if domain.endswith(".") else domain)
    return "" if ok else "must be a domain"


def _iscsi(name: str) -> str:
    return "" if re.fullmatch(r"(iqn|eui|naa)\.[-:.a-z0-9]+", name) else "must begin with iqn., eui. or naa."


def _port(value: Any) -> str:
    return port_name(value) if isinstance(value, str) else _PORT(value)


def _not_negative(value: Any) -> str:
    return "" if parse(value) >= 0 else "must not be below 0"


def _no_more_than(most: int, what: str) -> ValueRule:
    return lambda items: "" if len(items) <= most else f"must not be more than {most} {what}"


_PORT, _MODE, _ID, _COUNT = _bounds(1, 65535), _bounds(0, 0o777), _bounds(0), _bounds(0)

VALUES: Dict[str, ValueRule] = {
    "AWSElasticBlockStoreVolumeSource.partition": _bounds(0, 255),
    "CSIVolumeSource.driver": subdomain,
    "ClusterTrustBundleProjection.path": _file,
    "ClusterTrustBundleProjection.signerName": _signer,
    "ConfigMapEnvSource.name": subdomain,
    "ConfigMapKeySelector.key": config_key,
    "ConfigMapKeySelector.name": subdomain,
    "ConfigMapProjection.name": subdomain,
    "ConfigMapVolumeSource.defaultMode": _MODE,
    "ConfigMapVolumeSource.name": subdomain,
    "Container.image": _or_empty(image_rule),
    "Container.name": label,
    "ContainerPort.containerPort": _PORT,
    "ContainerPort.hostIP": _or_empty(_address),
    "ContainerPort.hostPort": _bounds(0, 65535),
    "ContainerPort.name": _or_empty(port_name),
    "DownwardAPIVolumeFile.mode": _MODE,
    "DownwardAPIVolumeFile.path": _file,
    "DownwardAPIVolumeSource.defaultMode": _MODE,
    "EmptyDirVolumeSource.sizeLimit": _not_negative,
    "EnvFromSource.prefix": _or_empty(env_name),
    "EnvVar.name": env_name,
    "ExecAction.command": _filled,
    "FileKeySelector.key": env_name,
    "FileKeySelector.path": _file,
    "FileKeySelector.volumeName": label,
    "GCEPersistentDiskVolumeSource.partition": _bounds(0, 255),
    "GRPCAction.port": _PORT,
    "HTTPGetAction.port": _port,
    "HTTPHeader.name": lambda text: "" if re.fullmatch(r"[-A-Za-z0-9]+", text) else "must be letters, digits and -",
    "ISCSIVolumeSource.initiatorName": _iscsi,
    "ISCSIVolumeSource.iqn": _iscsi,
    "ISCSIVolumeSource.lun": _bounds(0, 255),
    "HostAlias.hostnames[]": subdomain,
    "HostAlias.ip": _address,
    "HostPathVolumeSource.path": _no_backsteps,
    "ImageVolumeSource.reference": _or_empty(image_rule),
    "KeyToPath.mode": _MODE,
    "KeyToPath.path": _file,
    "LabelSelector.matchLabels": label_map,
    "LabelSelectorRequirement.key": qualified,
    "LabelSelectorRequirement.values[]": label_value,
    "LocalObjectReference.name": subdomain,
    "NFSVolumeSource.path": _absolute,
    "NodeSelector.nodeSelectorTerms": lambda items: "" if items else "must have at least one term",
    "NodeSelectorRequirement.key": qualified,
    "NodeSelectorRequirement.values[]": label_value,
    "ObjectFieldSelector.apiVersion": lambda text: "" if text in ("", "v1") else "must be v1",
    "ObjectFieldSelector.fieldPath": _field_path,
    "ObjectMeta.annotations": annotation_map,
    "ObjectMeta.labels": label_map,
    "PersistentVolumeClaimVolumeSource.claimName": subdomain,
    "PodAffinityTerm.namespaces[]": label,
    "PodAffinityTerm.topologyKey": qualified,
    "PodCertificateProjection.certificateChainPath": _file,
    "PodCertificateProjection.credentialBundlePath": _file,
    "PodCertificateProjection.keyPath": _file,
    "PodCertificateProjection.maxExpirationSeconds": _bounds(3600, 91 * 24 * 3600),
    "PodCertificateProjection.signerName": _signer,
    "PodDNSConfig.nameservers": _no_more_than(3, "name servers"),
    "PodDNSConfig.nameservers[]": _address,
    "PodDNSConfig.searches": _no_more_than(32, "domains"),
    "PodDNSConfig.searches[]": _search,
    "PodDNSConfigOption.name": _filled,
    "PodResourceClaim.name": label,
    "PodResourceClaim.resourceClaimName": subdomain,
    "PodResourceClaim.resourceClaimTemplateName": subdomain,
    "PodSchedulingGate.name": qualified,
    "PodSchedulingGroup.podGroupName": subdomain,
    "PodSecurityContext.fsGroup": _ID,
    "PodSecurityContext.runAsGroup": _ID,
    "PodSecurityContext.runAsUser": _ID,
    "PodSecurityContext.supplementalGroups[]": _ID,
    "PodSpec.activeDeadlineSeconds": _bounds(1),
    "PodSpec.containers": _filled,
    "PodSpec.hostname": _or_empty(label),
    "PodSpec.hostnameOverride": lambda text: subdomain(text) if len(text) <= 64 else "must be at most 64 long",
    "PodSpec.nodeName": _or_empty(subdomain),
    "PodSpec.nodeSelector": label_map,
    "PodSpec.priorityClassName": _or_empty(subdomain),
    "PodSpec.runtimeClassName": subdomain,
    "PodSpec.serviceAccount": _or_empty(subdomain),
    "PodSpec.serviceAccountName": _or_empty(subdomain),
    "PodSpec.subdomain": _or_empty(label),
    "PodSpec.terminationGracePeriodSeconds": _COUNT,
    "PodReadinessGate.conditionType": qualified,
    "PreferredSchedulingTerm.weight": _bounds(1, 100),
    "Probe.failureThreshold": _COUNT,
    "Probe.initialDelaySeconds": _COUNT,
    "Probe.periodSeconds": _COUNT,
    "Probe.successThreshold": _COUNT,
    "Probe.terminationGracePeriodSeconds": _bounds(1),
    "Probe.timeoutSeconds": _COUNT,
    "ProjectedVolumeSource.defaultMode": _MODE,
    "ResourceFieldSelector.resource": _resource_path,
    "SecretEnvSource.name": subdomain,
    "SecretKeySelector.key": config_key,
    "SecretKeySelector.name": subdomain,
    "SecretProjection.name": subdomain,
    "SecretVolumeSource.defaultMode": _MODE,
    "SecretVolumeSource.secretName": subdomain,
    "SecurityContext.runAsGroup": _ID,
    "SecurityContext.runAsUser": _ID,
    "ServiceAccountTokenProjection.expirationSeconds": _bounds(600, 2**32),
    "ServiceAccountTokenProjection.path": _file,
    "SleepAction.seconds": _COUNT,
    "Sysctl.name": lambda text: (
        "" if re.fullmatch(r"[a-z0-9]([-_a-z0-9./]*[a-z0-9])?", text) else "is no name of a sysctl"
    ),
    "TCPSocketAction.port": _port,
    "Toleration.key": _or_empty(qualified),
    "TopologySpreadConstraint.maxSkew": _bounds(1),
    "TopologySpreadConstraint.minDomains": _bounds(1),
    "Volume.name": label,
    "VolumeMount.mountPath": _mount_path,
    "VolumeMount.subPath": relative,
    "VolumeMount.subPathExpr": relative,
    "WeightedPodAffinityTerm.weight": _bounds(1, 100),
}
