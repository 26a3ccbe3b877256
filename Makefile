# make demo    build the site and serve it (PORT=8000)
# make test    every check: lint, types, tests in CPython, in Pyodide, in Node, in Chromium (STAGES="lint types" for some of them)
# make clean   forget everything that was built
#
# Both do their own set-up: a virtual environment in .venv, npm packages in web/node_modules, Debian's Chromium.
# tests/browser needs Chromium and the built site; `pytest` alone leaves it out, `make test STAGES=browser` runs it.

PORT ?= 8000
STAGES ?=
PYTHON = .venv/bin/python

.PHONY: demo test clean

demo:
	@web/build/setup.sh python node
	@$(PYTHON) web/build/build_site.py
	@$(PYTHON) src/lorelite/classroom/serve.py build/site --port $(PORT)

test:
	@web/build/setup.sh python node chromium
	@$(PYTHON) web/build/stages.py $(STAGES)

clean:
	rm -rf build web/node_modules .venv
