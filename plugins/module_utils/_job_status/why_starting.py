# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a pod that has a node does not start, or starts again and again. Pure."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from .._job_model.cause import FOLLOWS, WAITS, Cause, Evidence, Finding, Subject, ago, memory_limit, seconds_since, who
from .._kube.pod_reason import said
from .._kube.readiness import READY, readiness
from .._kube.resource import Manifest
from .why_exit import meaning, out_of_memory

IMAGE_ABSENT = Cause(
    "an image that is not there",
    "{who} cannot start: the registry has no image {image} ({word})",
    "Correct the image's name and tag, or push it",
)
IMAGE_DENIED = Cause(
    "a registry that asks who you are",
    "{who} cannot start: the registry does not give out image {image} ({word})",
    "Name a Secret with a login for that registry in image_pull_secrets; some registries answer so for names that do"
    " not exist, too",
)
IMAGE_UNREACHABLE = Cause(
    "a registry out of reach",
    "{who} cannot start: the node does not reach the registry of image {image} ({word})",
    "Let the nodes reach it (proxy, certificate, DNS), or use a registry that they reach",
)
IMAGE_NAME = Cause(
    "a name that is no image",
    "{who} cannot start: {image} is no name of an image",
    "Write it as registry/name:tag, in lower case",
)
IMAGE_NEVER = Cause(
    "an image that must already be on the node",
    "{who} cannot start: image {image} is not on the node, and image_pull_policy Never forbids to fetch it",
    "Load the image on every node, or use IfNotPresent",
)
IMAGE_OTHER = Cause(
    "an image that cannot be pulled",
    "{who} cannot start: image {image} cannot be pulled ({word})",
    "Try it on the node: crictl pull {image}",
)
OBJECT_MISSING = Cause(
    "a ConfigMap or Secret that does not exist",
    "{who} cannot start: {what} does not exist in namespace {namespace}",
    "Create it, or correct its name in env, env_from or volumes; the pod starts by itself afterwards",
)
KEY_MISSING = Cause(
    "a key that a ConfigMap or Secret lacks",
    "{who} cannot start: there is no key {key} in {what}",
    "Add the key, or correct its name in env",
)
REFUSED_BY_NODE = Cause(
    "a container that the node refuses",
    "{who} cannot start: {word}",
    "Read the message: a security context the image does not meet, a wrong command, or a device that is gone",
)
VOLUME_HELD = Cause(
    "a ReadWriteOnce volume that another node holds",
    "{who} cannot start: its volume is attached to another node, and may be on one at a time",
    "Use a claim with access mode ReadWriteMany for several nodes, or pin the pods to one node (option node)",
)
MOUNT_FAILED = Cause(
    "a volume that cannot be mounted",
    "{who} cannot start: a volume cannot be mounted ({word})",
    "Read the message: the server of the volume, its path, and the mount helper on the node",
)
NETWORK = Cause(
    "no network for the pod",
    "{who} cannot start: the node gives the pod no network ({word})",
    "See whether the pods of the network add-on run on that node",
)
NODE_DOWN = Cause(
    "the node does not answer",
    "{who} cannot start: node {node} is {state}",
    "See why its kubelet does not report; delete the pod to have it placed elsewhere",
)
UNHEARD = Cause(
    "the kubelet says nothing",
    "Node {node} has not said a word about {who} in {ago}",
    "See on that node whether the kubelet and containerd run",
    rank=WAITS,
)
INIT_FAILS = Cause(
    "an init container fails",
    "{who} cannot start: init container {container} {meaning}",
    "Read its log: kubectl logs <pod> -c {container}",
)
INIT_WAITS = Cause(
    "an init container waits",
    "{who} has not started: its init container {container} has not ended yet",
    "The init container of a PyTorchJob's Worker waits for the Master; read its log: kubectl logs <pod> -c {container}",
    rank=FOLLOWS,
)
MEMORY = Cause(
    "too little memory, again and again",
    "{who} is killed again and again for using more memory than its limit ({limit}) allows",
    "Raise resources.limits.memory, or let the program use less, for example by smaller batches",
)
CRASHES = Cause(
    "a program that fails, again and again",
    "{who} fails again and again, {restarts} times until now: the container {meaning}",
    "Read the log of the last try: job_info with logs.previous, or kubectl logs --previous",
)
STARTING = Cause(
    "on its way",
    "{who} is about to start: its node {node} prepares the container",
    "Wait: a large image takes minutes to arrive; kubectl describe pod shows how far it is",
    rank=FOLLOWS,
)

_PULL = ("ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", "ImageInspectError")
_REFUSED = (
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "StartError",
    "PostStartHookError",
)
_ABSENT = re.compile(r"not found|manifest unknown|name unknown|does not exist", re.IGNORECASE)
_DENIED = re.compile(
    r"\b40[13]\b|unauthorized|denied|forbidden|authorization failed|authentication required|no basic auth",
    re.IGNORECASE,
)
_UNREACHABLE = re.compile(
    r"no such host|timeout|timed out|connection refused|connection reset|no route to host|unreachable|x509|tls:|"
    r"deadline exceeded|server misbehaving|EOF$|\b50[0234]\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(r'\b(configmap|secret)s? "([^"]+)" not found', re.IGNORECASE)
_KEY = re.compile(r"couldn't find key (\S+) in (ConfigMap|Secret) (?:\S+/)?(\S+)")
_HELD = re.compile(r"Multi-Attach error|already exclusively attached|already used by pod", re.IGNORECASE)
_KINDS = {"configmap": "ConfigMap", "secret": "Secret"}
_MOUNTS = ("FailedMount", "FailedAttachVolume", "FailedMapVolume")
_SILENCE_S = 60.0
_WORDS = 300


def why_not_started(
    subjects: Sequence[Subject], namespace: str, evidence: Evidence, container: str
) -> Iterator[Finding]:
    """Yield why pods on nodes do not start; pods with the same trouble are told together. container: that trains."""
    groups: Dict[Tuple[str, str], List[Subject]] = {}
    for subject in subjects:
        name, key = _trouble(subject, evidence)
        groups.setdefault((name, key), []).append(subject)
    for group in groups.values():
        yield _finding(group, namespace, evidence, container)


def _trouble(subject: Subject, evidence: Evidence) -> Tuple[str, str]:
    """Return what makes two pods' troubles the same one."""
    status = _worst(subject.pod)
    waiting = (status.get("state") or {}).get("waiting") or {}
    text = said(waiting)
    if str(waiting.get("reason")) in _PULL:
        # The message changes between the two while nothing else does.
        text = f"image {_image(subject.pod, status)}"
    event = _event(subject, evidence)
    return (str(status.get("name")), text) if text else ("", re.sub(r'"[^"]*"', "", said(event)))


def _worst(pod: Manifest) -> Dict[str, Any]:
    """Return the status of the container that keeps the pod from running; the first that does."""
    found = _statuses(pod)
    bad = [item for item in found if _reason(item) not in ("", "ContainerCreating", "PodInitializing")]
    return (bad or [{}])[0]


def _statuses(pod: Manifest) -> List[Dict[str, Any]]:
    status = pod.get("status") or {}
    return [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]


def _reason(status: Mapping[str, Any]) -> str:
    return str(((status.get("state") or {}).get("waiting") or {}).get("reason") or "")


def _event(subject: Subject, evidence: Evidence) -> Dict[str, Any]:
    """Return the last warning about a pod."""
    events = evidence.about("Pod", subject.replica.pod)
    return events[-1] if events else {}


def _finding(group: Sequence[Subject], namespace: str, evidence: Evidence, container: str) -> Finding:
    subject, names = group[0], who(group)
    status = _worst(subject.pod)
    waiting = (status.get("state") or {}).get("waiting") or {}
    reason, message = str(waiting.get("reason") or ""), str(waiting.get("message") or "")
    facts = _last_lines(group, evidence)
    if reason in (*_PULL, "InvalidImageName", "ErrImageNeverPull"):
        return why_no_image(names, _image(subject.pod, status), reason, message)
    if reason in _REFUSED:
        return _refused(names, message or reason, namespace)
    if reason == "CrashLoopBackOff" or subject.replica.restarts:
        crash = status or _main(subject.pod, container)
        return _crashes(names, subject, crash, container, facts)
    return _without_container(group, namespace, evidence)


def why_no_image(names: str, image: str, reason: str, message: str) -> Finding:
    """Return why an image does not come, by the kubelet's reason and message."""
    if reason == "InvalidImageName":
        return IMAGE_NAME.found(who=names, image=image)
    if reason == "ErrImageNeverPull":
        return IMAGE_NEVER.found(who=names, image=image)
    word = registry_word(message)
    facts = [f"{reason}: {message[:_WORDS]}"] if message else []
    for pattern, cause in ((_DENIED, IMAGE_DENIED), (_UNREACHABLE, IMAGE_UNREACHABLE), (_ABSENT, IMAGE_ABSENT)):
        if pattern.search(word):
            return cause.found(facts, who=names, image=image, word=word)
    return IMAGE_OTHER.found(facts, who=names, image=image, word=word or reason)


def registry_word(message: str) -> str:
    """Return what the registry said, out of what containerd and the kubelet wrap around it."""
    text = message.split("desc = ")[-1]
    parts = [part.strip() for part in text.split(": ")]
    kept = [part for part in parts if part and not re.match(r"failed to|Back-off pulling|ErrImagePull|rpc error", part)]
    return ": ".join(kept[-3:]).strip('"')[:_WORDS]


def _refused(names: str, message: str, namespace: str) -> Finding:
    missing, key = _OBJECT.search(message), _KEY.search(message)
    if key:
        return KEY_MISSING.found(who=names, key=key.group(1), what=f"{key.group(2)} {key.group(3)}")
    if missing:
        what = f"{_KINDS[missing.group(1).lower()]} {missing.group(2)}"
        return OBJECT_MISSING.found(who=names, what=what, namespace=namespace)
    return REFUSED_BY_NODE.found(who=names, word=message[:_WORDS])


def _crashes(names: str, subject: Subject, status: Mapping[str, Any], container: str, facts: Sequence[str]) -> Finding:
    last = (status.get("lastState") or {}).get("terminated") or (status.get("state") or {}).get("terminated") or {}
    if status.get("name") != container and status in (
        (subject.pod.get("status") or {}).get("initContainerStatuses") or []
    ):
        return INIT_FAILS.found(facts, who=names, container=status.get("name"), meaning=meaning(last))
    if out_of_memory(last):
        return MEMORY.found(facts, who=names, limit=memory_limit(subject.spec, str(status.get("name"))))
    return CRASHES.found(facts, who=names, restarts=int(status.get("restartCount") or 0), meaning=meaning(last))


def _without_container(group: Sequence[Subject], namespace: str, evidence: Evidence) -> Finding:
    subject, names = group[0], who(group)
    pod, node, event = subject.pod, subject.replica.node, _event(subject, evidence)
    text, reason = str(event.get("message") or ""), str(event.get("reason") or "")
    if reason in _MOUNTS:
        if _HELD.search(text):
            return VOLUME_HELD.found([text[:_WORDS]], who=names)
        missing = _OBJECT.search(text)
        return _refused(names, text, namespace) if missing else MOUNT_FAILED.found(who=names, word=text[:_WORDS])
    if reason == "FailedCreatePodSandBox":
        return NETWORK.found(who=names, word=text[:_WORDS])
    down = _down(node, evidence)
    if down:
        return NODE_DOWN.found(who=names, node=node, state=down)
    for init in (pod.get("status") or {}).get("initContainerStatuses") or []:
        if (init.get("state") or {}).get("running") and not init.get("ready"):
            return INIT_WAITS.found(who=names, container=init.get("name"))
    waited = seconds_since(pod["metadata"].get("creationTimestamp"), evidence.now)
    if not _statuses(pod) and waited > _SILENCE_S:
        return UNHEARD.found(who=names, node=node, ago=ago(waited))
    return STARTING.found([f"the last warning: {said(event)}"] if event else [], who=names, node=node)


def _down(node: str, evidence: Evidence) -> str:
    """Return why a node is not ready; empty when it is, or when that is not known."""
    for item in evidence.ground.nodes:
        if item["metadata"]["name"] == node:
            answer = readiness(item)
            return "" if answer.state == READY else f"not ready ({answer.reason})"
    return ""


def _main(pod: Manifest, container: str) -> Dict[str, Any]:
    return next((item for item in _statuses(pod) if item.get("name") == container), {})


def _image(pod: Manifest, status: Mapping[str, Any]) -> str:
    """Return the image of a container as the user wrote it; the status may hold another spelling."""
    spec = pod.get("spec") or {}
    for item in [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]:
        if item.get("name") == status.get("name") and item.get("image"):
            return str(item["image"])
    return str(status.get("image") or "of the pod")


def _last_lines(group: Sequence[Subject], evidence: Evidence) -> List[str]:
    log: Optional[str] = next(
        (evidence.logs[item.replica.pod] for item in group if item.replica.pod in evidence.logs), None
    )
    return [f"last lines of its log: {log.strip()}"] if log and log.strip() else []
