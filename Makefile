# Everything a person or a machine does with the project, each defined once.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
ORACLES := $(VENV)/.oracles
# The build of PyTorch, where something wants it: auto (for the CPU where there is no NVIDIA GPU), cpu or cuda; and an index to take it from, whatever the machine.
TORCH ?= $(or $(SUTURE_TORCH),auto)
TORCH_INDEX ?= $(SUTURE_TORCH_INDEX)
SETUP = $(PYTHON) -I scripts/setup_environment.py $(VENV) -c constraints.txt --hashes hashes.txt --torch '$(TORCH)' --torch-index '$(TORCH_INDEX)'

PIP = $(BIN)/python -I -m pip install --quiet --disable-pip-version-check -c constraints.txt

PAGE = cd editors/playground && npm ci && npm run build
NEOVIM_PACKAGES := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/nvim/site/pack/suture/start
NEW_ENOUGH = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Suture needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }

.PHONY: help demo test test-another check bench bench-against fuzz test-editors vsix neovim playground docs torch

help:  ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 24

demo: $(READY)  ## set everything up and show the main job
	$(BIN)/python examples/demo.py

# TESTS are some of them, and COVERAGE=1 says which lines they run. TESTS=fast is the inner loop.
test: $(if $(TESTS)$(COVERAGE),$(DEV),$(ORACLES))  ## set everything up and run the tests, or some: make test TESTS=fast
	$(if $(COVERAGE),$(PIP) pytest-cov)
	$(BIN)/python -m pytest -n auto -q $(if $(COVERAGE),--cov --cov-report=term) $(if $(filter fast,$(TESTS)),$(FAST),$(TESTS))

# One file of each layer, and no process of its own. What asks random questions, of engines or other programs, is left to `make test`.
FAST_TESTS := tests/test_layout.py $(addprefix tests/parser/,test_session.py test_general.py test_bridging.py test_python_names.py) \
	$(addprefix tests/model/,test_decoding.py test_termination.py test_prompt.py) \
	$(addprefix tests/lsp_server/,test_suggestion.py test_documents.py test_settings.py)

FAST = $(FAST_TESTS) -k "not random and not fresh_start and not against_pyflakes"

# What needs no model, and so no PyTorch, of which not every Python has a build everywhere.
MODEL_FREE_TESTS := $(addprefix tests/parser/,test_session.py test_general.py test_bridging.py test_python_names.py test_go.py) \
	$(addprefix tests/lsp_server/,test_documents.py test_settings.py)
MODEL_FREE := filelock huggingface-hub lark lsprotocol numpy packaging platformdirs safetensors pygls tomlkit websockets hypothesis interegular pyflakes pytest pytest-asyncio \
	pytest-timeout pytest-xdist

test-another: .venv-other/.ready  ## the parser with another Python: make test-another OTHER=python3.13
	.venv-other/bin/python -m pytest -n auto -q $(MODEL_FREE_TESTS)

.venv-other/.ready: pyproject.toml constraints.txt
	$(OTHER) -I -m venv --clear .venv-other
	.venv-other/bin/python -I -m pip install --quiet --disable-pip-version-check -c constraints.txt $(MODEL_FREE)
	.venv-other/bin/python -I -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

check: $(DEV) build/links  ## lint and type-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	sh scripts/lint_editors.sh

# pyright does not follow an editable install: what tests and benchmarks import as `suture` is linked under one name.
build/links:
	@mkdir -p build/links/suture
	@for package in common lsp_server model parser slua training; do ln -sfn "../../../$$package" "build/links/suture/$$package"; done

bench: $(DEV)  ## run the benchmarks whose numbers the documents quote
	$(BIN)/python -m benchmarks.engine
	$(BIN)/python -m benchmarks.decoding
	$(BIN)/python -m benchmarks.latency
	$(BIN)/python -m benchmarks.served embedded
	$(BIN)/python -m benchmarks.server
	$(BIN)/python -m benchmarks.isolation

# BENCH=--quick is what CI runs, and BENCH=--required fails where the commit is not in the clone.
bench-against: $(DEV)  ## compare the engine's speed with another commit's: make bench-against BASE=HEAD~3
	$(BIN)/python -m benchmarks.against $(BENCH) $(BASE)

fuzz: $(DEV)  ## look for texts that the engine is wrong about: make fuzz MINUTES=60 SEED=2
	$(BIN)/python -m tests.fuzz.foreign --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)
	$(BIN)/python -m tests.fuzz.checked --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)
	$(BIN)/python -m tests.fuzz.middles --seconds $$(($(or $(MINUTES),10) * 60)) --seed $(or $(SEED),1)

# INSTALLED=1 takes the editors that are there: tests of others are skipped, and so are those left after MINUTES. Tests in editors wait for
# times on busy machines, so one that fails is run again, four times at most.
test-editors: $(DEV) $(if $(INSTALLED),,vsix)  ## run the tests in real editors (see tests/editors/README.md)
	$(if $(INSTALLED),,sh tests/editors/install.sh)
	$(PIP) --group editors
	SUTURE_TEST_EDITORS=1 SUTURE_TEST_EDITORS_MINUTES=$(MINUTES) $(BIN)/python -m pytest tests/editors -q \
		-n 2 --dist loadfile --timeout 120 --reruns 4 -r sR

vsix:  ## build the wheel and the VS Code extension, with the server in it, and put both into dist
	@$(NEW_ENOUGH)
	@echo 'Building the package; this takes about ten seconds.'
	@rm -rf dist build
	@$(PYTHON) -I -m venv build/venv
	@build/venv/bin/python -I -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	$(PAGE)
	rm -rf editors/vscode/bundled && mkdir editors/vscode/bundled && cp dist/suture-*.whl constraints.txt hashes.txt \
		scripts/setup_environment.py editors/vscode/bundled/
	cd editors/vscode && npm ci && npm run package
	cp editors/vscode/suture.vsix dist/

neovim: $(READY)  ## link the plugin into Neovim's packages; it finds the server in .venv
	mkdir -p "$(NEOVIM_PACKAGES)"
	ln -sfn "$(CURDIR)/editors/neovim" "$(NEOVIM_PACKAGES)/suture"
	@if command -v nvim >/dev/null; then nvim --headless -u NONE -c "execute 'helptags' fnameescape('$(CURDIR)/editors/neovim/doc')" -c quit; fi
	@echo 'Neovim finds the plugin now. This line of your init.lua starts it, with a key of your choice to accept:'
	@echo '    require("suture").setup({ keys = { accept = "<Tab>", accept_word = "<M-w>", next = "<M-n>" } })'

docs: .venv-docs/.ready  ## build the site of the documents in build/site; a link that leads nowhere is an error
	@rm -rf build/pages && mkdir -p build/pages
	@git ls-files -z '*.md' '*.png' '*.svg' | xargs -0 tar cf - | tar xf - -C build/pages
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build
	@echo 'The site is in build/site: open build/site/index.html.'

.venv-docs/.ready: pyproject.toml constraints.txt
	@$(NEW_ENOUGH)
	$(PYTHON) -I -m venv --clear .venv-docs
	.venv-docs/bin/python -I -m pip install --quiet --disable-pip-version-check -c constraints.txt mkdocs-material
	@touch $@

playground: $(READY)  ## build the playground's page, and open it
	$(PAGE)
	$(BIN)/suture playground

# What runs Suture, llama.cpp with it; what the tools for working on it need; PyTorch, and the other programs that tests ask.
$(READY): pyproject.toml setup.py constraints.txt hashes.txt scripts/setup_environment.py
	@$(NEW_ENOUGH)
	@$(SETUP) --llama-cpp -e .
	@touch $@

$(DEV): $(READY)
	@$(SETUP) --group dev -e '.[languages]'
	@touch $@

$(ORACLES): $(DEV) tests/support/typescript/package-lock.json tests/support/css/package-lock.json tests/support/pyodide/package-lock.json
	@$(SETUP) --group dev -e '.[languages,torch]' || \
		printf '\nWARNING: PyTorch cannot be had here. The tests that need it are SKIPPED; `make torch` tries again.\n\n' >&2
	@echo "Downloads what the tests ask: the toolchains of Go and Lua, matplotlib, the parsers of TypeScript, CSS and C, and Python 3.14 and 3.15 (about 180 MB)."
	@for group in clang go lua papers; do \
		$(PIP) --group $$group || echo "The group '$$group' cannot be had here: the tests that need it are skipped."; \
	done
	@command -v npm >/dev/null || $(PIP) --group node || true
	@for name in typescript css pyodide; do \
		PATH="$$PATH:$(abspath $(BIN))" npm ci --silent --ignore-scripts --no-audit --no-fund --prefix tests/support/$$name || \
			printf '\nWARNING: the packages of %s cannot be had here. The tests that ask them are SKIPPED.\n\n' $$name >&2; \
	done
	@touch $@

torch:  ## add PyTorch, for safetensors models of the hub, GPUs and training: make torch TORCH=cuda
	@$(NEW_ENOUGH)
	@$(SETUP) -e '.[torch]'
	@touch $(READY)
