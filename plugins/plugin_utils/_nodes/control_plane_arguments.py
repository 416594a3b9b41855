# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines of the control plane's programs: the role's own arguments, hardened, and the user's over them."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from ...module_utils._common.problem import Problem
from ...module_utils._control_plane.api_server_files import (
    AUDIT_LOG,
    audit_policy_file,
    authentication_file,
    encryption_path,
)

# The pods that Kubernetes itself schedules as gangs, from 1.37: what must be switched on, and where.
NATIVE_GANG_GATES = {"GenericWorkload": True}
NATIVE_GANG_API = "scheduling.k8s.io/v1beta1=true"
# TLS 1.3 has no weak suite; these are what is left of TLS 1.2 for clients that lack it.
STRONG_CIPHERS = (
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
)
# Component -> argument -> what sets it instead. kubeadm renders these from other options, or they name a file that no
# pod would find.
_KUBEADM = "kubeadm, which would no longer find its own files"
_GATES = "kubernetes_feature_gates"
# The API server refuses these beside --authentication-config.
_BESIDE_FILE = ("oidc-", "anonymous-auth")
OWNED: Mapping[str, Mapping[str, str]] = {
    "apiserver": {
        "advertise-address": "mlstack_node_ip",
        "audit-log-path": "kubernetes_audit_log",
        "audit-policy-file": "kubernetes_audit_policy",
        "authentication-config": "kubernetes_anonymous_access",
        "client-ca-file": _KUBEADM,
        "encryption-provider-config": "kubernetes_secrets_encryption",
        "etcd-cafile": _KUBEADM,
        "etcd-certfile": _KUBEADM,
        "etcd-keyfile": _KUBEADM,
        "etcd-servers": _KUBEADM,
        "feature-gates": _GATES,
        "kubelet-client-certificate": _KUBEADM,
        "kubelet-client-key": _KUBEADM,
        "secure-port": "mlstack_api_endpoint",
        "service-cluster-ip-range": "mlstack_service_cidr",
        "tls-cert-file": "kubernetes_certificate_names",
        "tls-private-key-file": "kubernetes_certificate_names",
    },
    "controller_manager": {
        "authentication-kubeconfig": _KUBEADM,
        "authorization-kubeconfig": _KUBEADM,
        "client-ca-file": _KUBEADM,
        "cluster-cidr": "mlstack_pod_cidr",
        "cluster-name": "mlstack_cluster_name",
        "cluster-signing-cert-file": _KUBEADM,
        "cluster-signing-key-file": _KUBEADM,
        "feature-gates": _GATES,
        "kubeconfig": _KUBEADM,
        "root-ca-file": _KUBEADM,
        "service-account-private-key-file": _KUBEADM,
        "service-cluster-ip-range": "mlstack_service_cidr",
    },
    "scheduler": {
        "authentication-kubeconfig": _KUBEADM,
        "authorization-kubeconfig": _KUBEADM,
        "feature-gates": _GATES,
        "kubeconfig": _KUBEADM,
    },
    "etcd": {
        "advertise-client-urls": _KUBEADM,
        "cert-file": _KUBEADM,
        "data-dir": _KUBEADM,
        "initial-advertise-peer-urls": _KUBEADM,
        "initial-cluster": _KUBEADM,
        "initial-cluster-state": _KUBEADM,
        "key-file": _KUBEADM,
        "listen-client-urls": _KUBEADM,
        "listen-metrics-urls": _KUBEADM,
        "listen-peer-urls": _KUBEADM,
        "name": "mlstack_node_name",
        "peer-cert-file": _KUBEADM,
        "peer-key-file": _KUBEADM,
        "peer-trusted-ca-file": _KUBEADM,
        "trusted-ca-file": _KUBEADM,
    },
}


def extra_arguments(component: str, options: Mapping[str, Any]) -> List[Dict[str, str]]:
    """Return what kubeadm calls extraArgs of `apiserver`, `controller_manager`, `scheduler` or `etcd`.

    options: gang_scheduler (native or none), feature_gates (dict), audit_log (bool), audit_policy (dict),
        anonymous_access (health or all), secrets_encryption (secretbox or none), <component>_api_qps and
        <component>_api_burst of scheduler and controller_manager (int), and <component>_arguments (dict: name
        -> text, bool, number, list of them for an argument that is given several times, or None for none at all).
    """
    arguments: Dict[str, Any] = {} if component == "etcd" else {"profiling": False, **_feature_gates(options)}
    if component == "apiserver":
        arguments.update(_api_server(options))
    if component in ("controller_manager", "scheduler"):
        arguments.update({f"kube-api-{name}": options[f"{component}_api_{name}"] for name in ("qps", "burst")})
    given = options[f"{component}_arguments"]
    for name, value in given.items():
        # A list of API groups is the one argument that both sides add to.
        both = name == "runtime-config" and name in arguments and value is not None
        arguments[name] = f"{arguments[name]},{value}" if both else value
    return [
        {"name": name, "value": _text(item)}
        for name, value in sorted(arguments.items())
        for item in (value if isinstance(value, (list, tuple)) else [value])
        if item is not None
    ]


def argument_problems(given: Mapping[str, Mapping[str, Any]], anonymous_access: str) -> List[Problem]:
    """Return a problem for each argument that other options set.

    given: component -> the user's arguments. anonymous_access: health or all.
    """
    problems = []
    for component, arguments in sorted(given.items()):
        for name, value in sorted(arguments.items()):
            field = f"kubernetes_{component}_arguments.{name}"
            if component == "apiserver" and anonymous_access == "health" and name.startswith(_BESIDE_FILE):
                rule = "the API server takes it only without a file that says who is let in without a name"
                way_out = "Set kubernetes_anonymous_access: all beside it"
            elif name.startswith("-"):
                rule, way_out = "an argument is named without its dashes", f"Write {name.lstrip('-')}"
            elif name in OWNED[component]:
                owner = OWNED[component][name]
                rule = f"it is set by {owner}"
                way_out = "Leave it out" if owner == _KUBEADM else f"Leave it out and set {owner}"
            else:
                continue
            problems.append(Problem(field, _text(value), rule, way_out))
    return problems


def _api_server(options: Mapping[str, Any]) -> Dict[str, Any]:
    arguments: Dict[str, Any] = {
        # Services that claim addresses of their own choice can take over traffic of others.
        "enable-admission-plugins": "NodeRestriction,DenyServiceExternalIPs",
        "encryption-provider-config": encryption_path(options["secrets_encryption"]),
        # Clients read their token again from the file, so it need not outlive its hour by a year.
        "service-account-extend-token-expiration": False,
        "tls-cipher-suites": ",".join(STRONG_CIPHERS),
        "tls-min-version": "VersionTLS12",
    }
    if options["audit_log"]:
        arguments.update({
            "audit-log-path": AUDIT_LOG,
            "audit-log-maxage": 30,
            "audit-log-maxbackup": 10,
            "audit-log-maxsize": 100,
            "audit-policy-file": audit_policy_file(options["audit_policy"])["path"],
        })
    if options["anonymous_access"] == "health":
        arguments["authentication-config"] = authentication_file()["path"]
    if options["gang_scheduler"] == "native":
        arguments["runtime-config"] = NATIVE_GANG_API
    return arguments


def _feature_gates(options: Mapping[str, Any]) -> Dict[str, str]:
    """Return the feature-gates argument; the user's gates win over ours."""
    gates = {**(NATIVE_GANG_GATES if options["gang_scheduler"] == "native" else {}), **options["feature_gates"]}
    text = ",".join(f"{name}={_text(on)}" for name, on in sorted(gates.items()))
    return {"feature-gates": text} if text else {}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
