"""Lorelite in a browser: storage, and the bridge to the demo page. Only here are `js` and `pyodide` imported."""
