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

NEOVIM_PACKAGES := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/nvim/site/pack/suture/start
NEW_ENOUGH = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Suture needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }

.PHONY: help demo test test-fast test-another check links lint-editors coverage format bench bench-against fuzz soak test-editors test-installed-editors pictures test-vllm wheel vsix release neovim page playground docs torch pins clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 24

demo: $(READY)  ## set everything up and show the main job
	$(BIN)/python examples/demo.py

test: $(ORACLES)  ## set everything up and run the tests
	$(BIN)/python -m pytest -n auto -q

# One file of each layer, and no process of its own. What asks random questions, of engines or other programs, is left to `make test`.
FAST_TESTS := tests/test_layout.py $(addprefix tests/parser/,test_session.py test_general.py test_bridging.py test_python_names.py) \
	$(addprefix tests/model/,test_decoding.py test_termination.py test_prompt.py) \
	$(addprefix tests/lsp_server/,test_suggestion.py test_documents.py test_settings.py)

FAST = $(FAST_TESTS) -k "not random and not fresh_start and not against_pyflakes"

test-fast: $(DEV)  ## the inner loop, in under a minute
	$(BIN)/python -m pytest -n auto -q $(FAST)

# TESTS=fast are those of test-fast.
coverage: $(DEV)  ## which lines tests run, least covered files first: make coverage TESTS=tests/parser
	$(BIN)/python -I -m pip install --quiet --disable-pip-version-check -c constraints.txt pytest-cov
	$(BIN)/python -m pytest -n auto -q --cov --cov-report=term $(if $(filter fast,$(TESTS)),$(FAST),$(or $(TESTS),tests))

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

check: $(DEV) lint-editors links  ## lint and type-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

# pyright does not follow an editable install: what tests and benchmarks import as `suture` is linked under one name.
links:
	@mkdir -p build/links/suture
	@for package in common lsp_server model parser slua training; do ln -sfn "../../../$$package" "build/links/suture/$$package"; done

# By name, not in package.json: a lock file would have to name its builds for all systems.
BIOME = npm_config_fetch_retries=$(if $(BIOME_REQUIRED),3,0) npx --yes --prefer-offline @biomejs/biome@2.6.8

# With BIOME_REQUIRED=1, as in CI, it is an error that there is Node and still no biome.
lint-editors:  ## lint the editors' TypeScript and Lua, with those of biome and luacheck that can be had
	@if ! command -v npx >/dev/null; then echo 'WARNING: TypeScript is NOT linted: there is no npx (it comes with Node).' >&2; \
		elif said=$$($(BIOME) --version 2>&1); then $(BIOME) lint --error-on-warnings editors; \
		else printf '%s\nWARNING: TypeScript is NOT linted: npx cannot get biome, and said the above.\n' "$$said" >&2; \
			test -z '$(BIOME_REQUIRED)'; fi
	@if command -v luacheck >/dev/null; then luacheck -q $$(git ls-files '*.lua'); \
		else echo 'WARNING: Lua is NOT linted: luacheck is not installed (apt install lua-check, brew install luacheck).' >&2; fi

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

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

soak: $(DEV)  ## edit for minutes against the real server: make soak MINUTES=30 SEED=2
	$(BIN)/python -m tests.soak --minutes $(or $(MINUTES),5) --seed $(or $(SEED),1)

test-editors: $(DEV) vsix  ## run the tests in real editors (see tests/editors/README.md)
	sh tests/editors/install.sh
	$(MAKE) test-installed-editors

# Those that install.sh has set up: what is missing is skipped, and so is what is left after MINUTES. Tests in editors are about times,
# too, on machines that have other things to do: so one that fails is run again, four times at most.
test-installed-editors: $(DEV)
	$(BIN)/python -I -m pip install --quiet --disable-pip-version-check -c constraints.txt pynvim pytest-rerunfailures
	SUTURE_TEST_EDITORS=1 SUTURE_TEST_EDITORS_MINUTES=$(MINUTES) $(BIN)/python -m pytest tests/editors -q \
		-n 2 --dist loadfile --timeout 120 --reruns 4 -r sR

pictures: $(DEV) vsix  ## make docs/vscode.png and docs/playground.png anew, in a real editor and browser
	sh tests/editors/install.sh vscode
	$(BIN)/python tests/editors/pictures.py

# vLLM has an environment of its own: it pins its own PyTorch. It is too large for CI; see tests/vllm/README.md.
VLLM_READY := .venv-vllm/.ready

$(VLLM_READY): pyproject.toml plugins/vllm/pyproject.toml tests/vllm/install.sh
	@$(NEW_ENOUGH)
	SUTURE_VLLM='$(SUTURE_VLLM)' sh tests/vllm/install.sh .venv-vllm '$(PYTHON)'
	@touch $@

test-vllm: $(DEV) $(VLLM_READY)  ## start a real vLLM with the plugin, and compare what it writes (3.5 GB; see tests/vllm/README.md)
	SUTURE_TEST_VLLM='$(CURDIR)/.venv-vllm/bin/python' $(BIN)/python -m pytest tests/vllm -q -s

wheel:  ## build the package, without PyTorch and the rest of .venv
	@$(NEW_ENOUGH)
	@echo 'Building the package; this takes about ten seconds.'
	@rm -rf dist build
	@$(PYTHON) -I -m venv build/venv
	@build/venv/bin/python -I -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

release: vsix  ## what is released, in dist: the wheel, the source distribution and the extension
	build/venv/bin/python -I -m pip install --quiet --disable-pip-version-check -c constraints.txt build
	build/venv/bin/python -I -m build --sdist --outdir dist .
	cp editors/vscode/suture.vsix dist/
	@ls -l dist

vsix: page wheel  ## build the VS Code extension, with the server in it
	rm -rf editors/vscode/bundled && mkdir editors/vscode/bundled && cp dist/suture-*.whl constraints.txt hashes.txt \
		scripts/setup_environment.py editors/vscode/bundled/
	cd editors/vscode && npm ci && npm run package

neovim: $(READY)  ## link the plugin into Neovim's packages; it finds the server in .venv
	mkdir -p "$(NEOVIM_PACKAGES)"
	ln -sfn "$(CURDIR)/editors/neovim" "$(NEOVIM_PACKAGES)/suture"
	@if command -v nvim >/dev/null; then nvim --headless -u NONE -c "execute 'helptags' fnameescape('$(CURDIR)/editors/neovim/doc')" -c quit; fi
	@echo 'Neovim finds the plugin now. This line of your init.lua starts it, with a key of your choice to accept:'
	@echo '    require("suture").setup({ keys = { accept = "<Tab>", accept_word = "<M-w>", next = "<M-n>" } })'

page:  ## build the playground's page
	cd editors/playground && npm ci && npm run build

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

playground: $(READY) page  ## build the playground's page, and open it
	$(BIN)/suture playground

# What runs Suture, llama.cpp with it; what the tools for working on it need; PyTorch, and the other programs that tests ask.
$(READY): pyproject.toml setup.py constraints.txt hashes.txt scripts/setup_environment.py
	@$(NEW_ENOUGH)
	@$(SETUP) --llama-cpp -e .
	@touch $@

$(DEV): $(READY)
	@$(SETUP) -e '.[dev]'
	@touch $@

$(ORACLES): $(DEV) tests/support/typescript/package-lock.json tests/support/css/package-lock.json tests/support/pyodide/package-lock.json
	@$(SETUP) -e '.[dev,torch]' || \
		printf '\nWARNING: PyTorch cannot be had here. The tests that need it are SKIPPED; `make torch` tries again.\n\n' >&2
	@echo "Downloads what the tests ask: the toolchains of Go and Lua, matplotlib, the parsers of TypeScript, CSS and C, and Python 3.14 (about 170 MB)."
	@for extra in clang go lua papers; do \
		$(BIN)/python -I -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$$extra]" || \
			echo "The extra '$$extra' cannot be had here: the tests that need it are skipped."; \
	done
	@command -v npm >/dev/null || $(BIN)/python -I -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[node]' || true
	@for name in typescript css pyodide; do \
		PATH="$$PATH:$(abspath $(BIN))" npm ci --silent --ignore-scripts --no-audit --no-fund --prefix tests/support/$$name || \
			printf '\nWARNING: the packages of %s cannot be had here. The tests that ask them are SKIPPED.\n\n' $$name >&2; \
	done
	@touch $@

torch:  ## add PyTorch, for safetensors models of the hub, GPUs and training: make torch TORCH=cuda
	@$(NEW_ENOUGH)
	@$(SETUP) -e '.[torch]'
	@touch $(READY)

pins: $(DEV)  ## resolve the pinned versions for every system and Python, by metadata alone
	$(BIN)/python -I -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/python -m tests.pins

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache
