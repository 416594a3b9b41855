# Every target installs what it needs, says so, and does nothing the second time.
SHELL := /bin/bash
.DEFAULT_GOAL := help
LAB ?= demo
export MLSTACK_LAB := $(LAB)
export ANSIBLE_CONFIG := $(CURDIR)/ansible.cfg
export LC_ALL := C.UTF-8
# Ansible leaves flushing to Python, which holds lines back where there is no terminal; long work must be seen there too.
export PYTHONUNBUFFERED := 1
BIN := .venv/bin
LAB_INVENTORY := inventories/lab/hosts.ini

.PHONY: help setup bundle test-programs test-programs-long docs demo lab-up lab-down lint unit sanity artifact test-api test-molecule test-lab test-debian13 test test-long

help: ## Show the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.complete ## Make the Python environment .venv

.venv/.complete: requirements.txt requirements-dev.txt constraints.txt
	@dev/setup
	@touch $@

bundle: setup ## Download or build what the release names (cached outside the checkout)
	$(BIN)/ansible-playbook playbooks/bundle.yml -e mlstack_bundle_source=auto

test-programs: bundle
	$(BIN)/ansible-playbook playbooks/bundle.yml -e mlstack_bundle_source=auto -e @tests/programs/api.yml

test-programs-long: bundle
	$(BIN)/ansible-playbook playbooks/bundle.yml -e mlstack_bundle_source=auto -e @tests/programs/long.yml

lab-up: setup ## Make the three lab nodes, bare
	$(BIN)/ansible-playbook -i $(LAB_INVENTORY) playbooks/lab_up.yml

demo: bundle lab-up ## From three bare nodes to a finished TFJob
	$(BIN)/ansible-playbook -i $(LAB_INVENTORY) site.yml
	@dev/demo-hint $(LAB)

lab-down: setup ## Remove the lab, whole
	$(BIN)/ansible-playbook -i $(LAB_INVENTORY) playbooks/lab_down.yml

lint: setup ## ansible-lint, ruff, mypy, documentation
	dev/lint

unit: setup ## Pure functions, tables and properties (under 60 s)
	$(BIN)/pytest tests/unit -q --numprocesses auto --maxprocesses 4

sanity: setup ## ansible-test sanity
	dev/sanity

artifact: setup ## Build the collection and use it from an empty path
	dev/artifact

test-api: test-programs ## Modules against a real API server
	TRAINYARD_SEED=$${TRAINYARD_SEED:-20261128} $(BIN)/pytest tests/integration -q -m 'not long' --numprocesses 2 --dist loadfile

test-molecule: bundle ## The whole of site.yml on a lab: check mode, converge, verify, again
	dev/molecule test

test-lab: bundle ## Molecule's scenario, then all that needs its cluster or bare hosts
	dev/molecule destroy
	dev/molecule test --destroy never
	TRAINYARD_LAB=molecule $(BIN)/pytest tests/lab -q -m 'not long'
	dev/molecule destroy

test-debian13: bundle ## Unit tests and check mode under Debian 13's Python and the newest ansible-core
	$(BIN)/pytest tests/debian13 -q -m 'not long'

test: ## Everything that CI runs
	python3 dev/test.py

docs: setup ## Write the tables of READMEs and docs anew
	$(BIN)/python dev/docs.py

test-long: test-programs-long ## What takes longer than CI allows; AREA=gangs for one area
	$(BIN)/python dev/long_tests.py $(AREA)
