"""nginx in front of a service: speaks TLS to clients and HTTP to the service."""

from contextlib import contextmanager

import requests
from peers.nginx import START_S, nginx

SERVER = """listen 127.0.0.1:@PORT@ ssl;
        access_log @FOLDER@/access.log;
        ssl_certificate @FOLDER@/server.pem;
        ssl_certificate_key @FOLDER@/server.key;
        location / {{ proxy_pass {behind}; proxy_http_version 1.1; proxy_set_header Connection ""; }}"""


@contextmanager
def in_front(behind, authority, folder):
    """Yield the address of nginx, whose certificate is an authority's (`trustme.CA`); ``ca.pem`` is the authority's."""
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(str(folder / "server.key"))
    for pem in certificate.cert_chain_pems:
        pem.write_to_path(str(folder / "server.pem"), append=True)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))

    with requests.Session() as session:
        session.trust_env, session.verify = False, str(folder / "ca.pem")

        def answers(port):
            try:
                session.get(f"https://127.0.0.1:{port}", timeout=START_S)
            except requests.ConnectionError:
                return False
            return True

        with nginx(folder, SERVER.format(behind=behind), answers) as port:
            yield f"https://127.0.0.1:{port}"
