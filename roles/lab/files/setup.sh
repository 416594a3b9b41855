#!/bin/sh
# Finishes the image of the lab's nodes. Runs in it as root, once, with -eu.

# What bootstrapping left: other apt sources would be asked twice, and settings of its own.
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/0000main.* /etc/apt/apt.conf.d/99mmdebstrap /var/lib/apt/lists/*
mkdir -p /var/lib/apt/lists/partial
update-ca-certificates

# Each node has an identity of its own.
rm -f /etc/ssh/ssh_host_*
: > /etc/machine-id
mkdir -p /etc/systemd/system/ssh.service.d
printf '[Service]\nExecStartPre=\nExecStartPre=/usr/bin/ssh-keygen -A\nExecStartPre=/usr/sbin/sshd -t\n' \
  > /etc/systemd/system/ssh.service.d/host-keys.conf
systemctl enable ssh.service

# These belong to the machine below, not to a container: consoles, devices, mounts of its kernel.
systemctl mask getty.target console-getty.service systemd-logind.service run-rpc_pipefs.mount \
  sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount dev-hugepages.mount dev-mqueue.mount
# A host in the middle of a test does not upgrade itself.
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer

# The distribution's kernel settings are for the whole machine; those that a role writes still apply.
for file in /usr/lib/sysctl.d/*.conf; do
  ln -sf /dev/null "/etc/sysctl.d/$(basename "$file")"
done

# As on a host, mounts made in a pod reach the node: a container starts with private ones.
cat > /etc/systemd/system/shared-mounts.service <<'UNIT'
[Unit]
Description=Share the mounts of this node with its containers
DefaultDependencies=no
Before=sysinit.target

[Service]
Type=oneshot
ExecStart=/usr/bin/mount --make-rshared /

[Install]
WantedBy=sysinit.target
UNIT
systemctl enable shared-mounts.service
