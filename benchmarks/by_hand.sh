#!/usr/bin/env bash
# What site.yml does from bare hosts to a usable training operator, typed by hand: the measure for the playbook.
# The nodes are prepared at the same time, as a person with as many terminals would; the settings are the lab's.
# Prints a line for each milestone: seconds since the start, and its name.
set -euo pipefail
if (($# < 5)); then
  echo "usage: $0 BUNDLE SSH_CONFIG KUBECONFIG CONTROL_PLANE WORKER..." >&2
  exit 2
fi
bundle=$1 ssh_config=$2 kubeconfig=$3 control_plane=$4
shift 3
nodes=("$@") workers=("${@:2}")
files=$(dirname "$0")/by_hand
kubectl=("$bundle/bin/kubectl" --kubeconfig "$kubeconfig")
packages=(conntrack ethtool iproute2 iptables kmod socat ca-certificates)
every_node=(pause kube-proxy coredns flannel)
export LC_ALL=C
begin=${EPOCHREALTIME/./}

milestone() {
  local tenths=$(((${EPOCHREALTIME/./} - begin) / 100000))
  printf '%d.%d %s\n' $((tenths / 10)) $((tenths % 10)) "$*"
}

on() { ssh -F "$ssh_config" "$@"; }

# The reference of an image of the bundle.
reference() {
  python3 -c 'import json, sys
print(next(f["ref"] for f in json.load(open(sys.argv[1]))["files"] if f["kind"] == "image" and f["name"] == sys.argv[2]))' \
    "$bundle/index.json" "$1"
}

prepare() {
  local node=$1 images=("${every_node[@]}")
  if [[ $node == "$control_plane" ]]; then
    images+=(etcd kube-apiserver kube-controller-manager kube-scheduler)
  else
    images+=(training-operator)
  fi
  on "$node" "swapoff -a
    modprobe -q overlay br_netfilter
    echo 'net.ipv4.ip_forward = 1' >/etc/sysctl.d/99-kubernetes.conf
    sysctl -q -p /etc/sysctl.d/99-kubernetes.conf
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends ${packages[*]} >/dev/null
    mkdir -p /etc/containerd /etc/cni/net.d /opt/cni/bin"
  tar -C "$bundle/bin" -c kubeadm kubelet kubectl crictl containerd containerd-shim-runc-v2 ctr | on "$node" tar -C /usr/local/bin -x
  tar -C "$bundle/bin" -c runc | on "$node" tar -C /usr/local/sbin -x
  tar -C "$bundle/bin" -c bridge host-local loopback portmap flannel | on "$node" tar -C /opt/cni/bin -x
  tar -C "$files" -c containerd.service kubelet.service | on "$node" tar -C /etc/systemd/system -x
  tar -C "$files" -c 10-flannel.conflist | on "$node" tar -C /etc/cni/net.d -x
  sed "s|@PAUSE@|$(reference pause)|" "$files/containerd.toml" | on "$node" "cat >/etc/containerd/config.toml"
  on "$node" "systemctl daemon-reload && systemctl enable -q --now containerd && systemctl enable -q kubelet"
  local image
  for image in "${images[@]}"; do
    on "$node" ctr -n k8s.io images import - <"$bundle/images/$image.tar" >/dev/null
  done
  milestone "prepared $node"
}

declare -A preparing
for node in "${nodes[@]}"; do
  prepare "$node" &
  preparing[$node]=$!
done

wait "${preparing[$control_plane]}"
address=$(on -G "$control_plane" | awk '$1 == "hostname" {print $2}')
sed "s|@ADDRESS@|$address|; s|@NAME@|$control_plane|; s|@VERSION@|$("$bundle/bin/kubeadm" version -o short)|" \
  "$files/kubeadm.yaml.in" | on "$control_plane" "cat >/root/kubeadm.yaml"
on "$control_plane" kubeadm init --config /root/kubeadm.yaml >/dev/null
(umask 077 && on "$control_plane" cat /etc/kubernetes/admin.conf >"$kubeconfig")
milestone "kubeadm init"

sed "s|@FLANNEL@|$(reference flannel)|" "$files/flannel.yaml.in" | "${kubectl[@]}" apply -f - >/dev/null
sed "s|image: .*training-operator.*|image: $(reference training-operator)|" "$bundle/manifests/training-operator.yaml" \
  | "${kubectl[@]}" apply --server-side -f - >/dev/null

join=$(on "$control_plane" kubeadm token create --print-join-command)
joining=()
for node in "${workers[@]}"; do
  wait "${preparing[$node]}"
  on "$node" "$join --node-name $node --ignore-preflight-errors=SystemVerification" >/dev/null &
  joining+=($!)
done
for pid in "${joining[@]}"; do wait "$pid"; done
milestone "joined"

"${kubectl[@]}" wait --for=condition=Ready node --all --timeout=300s >/dev/null
milestone "nodes Ready"
"${kubectl[@]}" -n kube-flannel rollout status daemonset/flannel --timeout=300s >/dev/null
"${kubectl[@]}" -n kube-system rollout status daemonset/kube-proxy --timeout=300s >/dev/null
"${kubectl[@]}" -n kube-system rollout status deployment/coredns --timeout=300s >/dev/null
"${kubectl[@]}" -n kube-system wait --for=condition=Ready pod --all --timeout=300s >/dev/null
milestone "system pods Ready"
for ((try = 0; try < 300; try++)); do
  if answer=$("${kubectl[@]}" create --dry-run=server -f "$files/tfjob.yaml" 2>&1); then
    milestone "operator answers"
    exit 0
  fi
  sleep 1
done
echo "the operator does not answer: $answer" >&2
exit 1
