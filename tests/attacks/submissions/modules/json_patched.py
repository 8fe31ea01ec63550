def attack():
    import json
    json.dumps = lambda *a, **k: '{"op": "return", "type": "NoneType"}'
    json.loads = lambda *a, **k: {"id": 1, "ok": True}
