"""A handshake in memory, both ends in this program, and the certificates of the system."""

import hashlib
import hmac
import os
import secrets
import ssl

# No certificate is at hand, so that both ends agree on a cipher that needs none.
client, server = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
client.check_hostname = False
for context in client, server:
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("AECDH-AES256-SHA:@SECLEVEL=0")
to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
ends = [client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True)]
waiting = list(ends)
while waiting:
    for end in list(waiting):
        try:
            end.do_handshake()
            waiting.remove(end)
        except ssl.SSLWantReadError:
            pass
ends[0].write(b"secret")
assert ends[1].read() == b"secret"
assert ends[0].cipher()[0] == "AECDH-AES256-SHA"

store = ssl.create_default_context()
if os.path.exists("/etc/ssl/certs/ca-certificates.crt"):
    assert len(store.get_ca_certs()) > 20
key = secrets.token_bytes(32)
assert len(hmac.new(key, b"text", hashlib.sha3_256).digest()) == 32
print("ssl works")
