"""The plain wheel, loaded by name from the self-hosted distribution in a real browser."""

from pytest_pyodide import run_in_pyodide


@run_in_pyodide(packages=["lorelite"])
def test_the_plain_wheel_imports_in_chromium_without_native_packages(selenium):
    import sys

    import lorelite

    assert sys.platform == "emscripten"
    assert lorelite.__file__.startswith("/lib/python3.14/site-packages/lorelite/")
    assert {"numpy", "httpx"}.isdisjoint(sys.modules)


@run_in_pyodide(packages=["lorelite"])
async def test_a_storage_of_the_browser_is_opened_by_one_at_a_time(selenium):
    import pytest
    from js import eval as js_eval

    from lorelite.browser.storage import available, open_storage
    from lorelite.errors import WriterLocked

    assert available()
    held = js_eval(
        """new Promise((held) => navigator.locks.request("lorelite:taken", () => (held(), new Promise(() => {}))))"""
    )
    await held
    with pytest.raises(WriterLocked, match="in another tab or notebook"):
        await open_storage("taken")
    storage = await open_storage("free")
    await storage.close()
