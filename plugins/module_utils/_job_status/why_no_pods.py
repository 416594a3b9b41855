# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why its pods are not made. Pure."""

from __future__ import annotations

import re
from typing import Dict, Sequence

from .._job_model.cause import FOLLOWS, WAITS, Cause, Evidence, Finding, some
from .._job_model.kind import JobKind
from .._kube.pod_reason import said
from .._kube.resource import Manifest

QUOTA = Cause(
    "the namespace's quota is used up",
    "The quota {quota} of namespace {namespace} has no room for {who}: {resources}",
    "Wait for others in the namespace to end, ask for less, or have the quota raised",
    rank=WAITS,
)
QUOTA_UNSAID = Cause(
    "a quota wants numbers that the job does not give",
    "The quota {quota} of namespace {namespace} takes no pod that leaves out {resources}, so {who} cannot be made",
    "Say them for the job: option resources",
)
LIMIT_RANGE = Cause(
    "a limit range forbids it",
    "Namespace {namespace} has a limit range that refuses {who}: {word}",
    "Ask for what the limit range allows",
)
SECURITY = Cause(
    "the pod security standard forbids it",
    "Namespace {namespace} does not take {who}: {word}",
    "Set security_context and container_security_context as the message says, or use another namespace",
)
WEBHOOK_DENIED = Cause(
    "a webhook refuses the pods",
    "The webhook {webhook} refuses {who}: {word}",
    "Do what its message asks for; whoever runs the cluster knows the webhook",
)
WEBHOOK_SILENT = Cause(
    "a webhook does not answer",
    "No pod can be made, {who} neither: the webhook {webhook} does not answer ({word})",
    "See whether the pods behind the webhook run; one whose program was removed must be deleted, too",
)
NO_ACCOUNT = Cause(
    "a service account that does not exist",
    "There is no service account {account} in namespace {namespace}, so {who} cannot be made",
    "Create the ServiceAccount, or correct service_account_name",
)
NO_CLASS = Cause(
    "a priority or runtime class that does not exist",
    "There is no {what}, so {who} cannot be made",
    "Create the class, or correct its name",
)
REFUSED = Cause(
    "the API server refuses the pods",
    "The API server refuses {who}: {word}",
    "Do what its message asks for",
)
NOT_YET = Cause(
    "its pods are about to be made",
    "The pods {who} are about to be made",
    "Wait a moment",
    rank=FOLLOWS,
)

_EXCEEDED = re.compile(r"exceeded quota: ([^,]+), requested: (.*), used: (.*), limited: (.*)")
_UNSAID = re.compile(r"failed quota: ([^:]+): must specify ([^\n]*)")
_RANGE = re.compile(r"((?:maximum|minimum|\S+ max limit)\b.* usage per \w+ is .*)")
_SECURITY = re.compile(r"(violates PodSecurity .*)")
_DENIED = re.compile(r'admission webhook "([^"]+)" denied the request: (.*)', re.DOTALL)
_SILENT = re.compile(r'fail(?:ed|ed to) call(?:ing)? webhook "([^"]+)": (.*)', re.DOTALL)
_ACCOUNT = re.compile(r'error looking up service account (?:[^:]+): serviceaccount "([^"]+)" not found')
_CLASS = re.compile(r'no PriorityClass with name (\S+) was found|RuntimeClass(?:\.node\.k8s\.io)? "([^"]+)" not found')
_WORDS = 300


def why_no_pods(
    kind: JobKind,
    missing: Sequence[str],
    namespace: str,
    job: Manifest,
    events: Sequence[Manifest],
    evidence: Evidence,
) -> Finding:
    """Return why replicas have no pod. missing: their labels. events: warnings about the job and its Jobs."""
    names = some(missing)
    refused = why_refused(said(events[-1]), names, namespace) if events else None
    return kind.why_no_pods(missing, job, refused, evidence) or NOT_YET.found(who=names)


def why_refused(message: str, names: str, namespace: str) -> Finding:
    """Return what the API server said against a pod, taken apart."""
    facts = [f"the controller says: {message[:_WORDS]}"]
    exceeded, unsaid = _EXCEEDED.search(message), _UNSAID.search(message)
    if exceeded:
        quota, asked, used, hard = exceeded.groups()
        return QUOTA.found(facts, quota=quota, namespace=namespace, who=names, resources=_numbers(asked, used, hard))
    if unsaid:
        resources = ", ".join(part.split(" for: ")[0].strip() for part in unsaid.group(2).split(";"))
        return QUOTA_UNSAID.found(facts, quota=unsaid.group(1), namespace=namespace, resources=resources, who=names)
    for pattern, cause in ((_SILENT, WEBHOOK_SILENT), (_DENIED, WEBHOOK_DENIED)):
        match = pattern.search(message)
        if match:
            return cause.found(facts, who=names, webhook=match.group(1), word=match.group(2).strip()[:_WORDS])
    for pattern, cause in ((_SECURITY, SECURITY), (_RANGE, LIMIT_RANGE)):
        match = pattern.search(message)
        if match:
            return cause.found(facts, namespace=namespace, who=names, word=match.group(1)[:_WORDS])
    account, kind = _ACCOUNT.search(message), _CLASS.search(message)
    if account:
        return NO_ACCOUNT.found(facts, account=account.group(1), namespace=namespace, who=names)
    if kind:
        priority, runtime = kind.groups()
        return NO_CLASS.found(
            facts, what=f"PriorityClass {priority}" if priority else f"RuntimeClass {runtime}", who=names
        )
    return REFUSED.found(facts, who=names, word=message.split("is forbidden: ")[-1][:_WORDS])


def _numbers(asked: str, used: str, hard: str) -> str:
    """Return the numbers of a quota: requests.nvidia.com/gpu 2 asked, 3 of 4 used."""
    one, two, three = (_pairs(text) for text in (asked, used, hard))
    return ", ".join(
        f"{name} {value} asked, {two.get(name, '?')} of {three.get(name, '?')} used" for name, value in one.items()
    )


def _pairs(text: str) -> Dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",")]
    return {name.strip(): value.strip() for name, _sign, value in pairs}
