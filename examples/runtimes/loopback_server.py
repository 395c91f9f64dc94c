"""A web server and its client in one run, with the network among the run's own processes."""

import http.server
import threading
import urllib.request

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
server.RequestHandlerClass.log_message = lambda *_: None
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://localhost:{server.server_port}/loopback_server.py"
with urllib.request.urlopen(address, timeout=10) as answer:
    assert b"A web server and its client" in answer.read()
server.shutdown()
print("a server of the run's own works")
