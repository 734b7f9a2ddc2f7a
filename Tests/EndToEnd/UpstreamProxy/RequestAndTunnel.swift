/// What clients ask a proxy for: a request to forward, and a tunnel.
let requestAndTunnel = [
  "GET http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\n\r\n",
  "CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n",
]
