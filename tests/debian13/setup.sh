#!/bin/sh
# Finishes the image. Runs in it as root, once, with -eu.
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/0000main.* /etc/apt/apt.conf.d/99mmdebstrap
update-ca-certificates
