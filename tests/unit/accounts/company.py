"""A company's sign-on service: OpenID Connect over plain HTTP on loopback, for one person."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import jwt

CLIENT, SECRET = "durascope", "client secret of the test, long enough"


class Company:
    def __enter__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"company": self}))
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.person = {"sub": "4711", "preferred_username": "grace", "email": "grace@example.org"}
        self.asked = []  # what came to the token endpoint
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answers(self):
        token = jwt.encode({**self.person, "iss": self.issuer, "aud": CLIENT, "iat": 1, "exp": 2**33}, SECRET, "HS256")
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "jwks_uri": f"{self.issuer}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            },
            "/token": {"access_token": "a", "token_type": "Bearer", "id_token": token},
            "/userinfo": self.person,
        }


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(self.company.answers()[self.path.split("?")[0]]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.company.asked.append({name: values[0] for name, values in parse_qs(sent).items()})
        self.do_GET()

    def log_message(self, *_):
        """Quiet."""
