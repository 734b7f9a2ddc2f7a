/// A client that does exactly what its script says, directly or through a proxy; Python's, so that TLS sessions are its to
/// resume.
enum ScriptedPeer {
  /// Arguments: scheme; port of the server; port of the proxy or nothing; PEM file of authorities; what paths begin with.
  static let prelude = #"""
    import re, socket, ssl, struct, sys

    scheme, port, proxy, authority, base = sys.argv[1:6]
    host = f'localhost:{port}'
    context = ssl.create_default_context(cafile=authority) if scheme == 'https' else None

    def limit_tls():
        context.maximum_version = ssl.TLSVersion.TLSv1_2

    def read_head(c):
        head = b''
        while not head.endswith(b'\r\n\r\n'):
            byte = c.recv(1)
            assert byte, f'ended in {head}'
            head += byte
        return head.decode('latin-1')

    def read_exactly(c, count):
        body = b''
        while len(body) < count:
            piece = c.recv(count - len(body))
            assert piece, 'ended'
            body += piece
        return body

    def open(session=None):
        c = socket.create_connection(('127.0.0.1', int(proxy or port)), 10)
        if scheme == 'https':
            if proxy:
                c.sendall(f'CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n'.encode())
                assert ' 200 ' in read_head(c)
            c = context.wrap_socket(c, server_hostname='localhost', session=session)
        return c

    def target(path):
        path = f'{base}/{path}'
        return f'http://{host}{path}' if proxy and scheme == 'http' else path

    def head(method, path, lines, version='1.1'):
        return ('\r\n'.join([f'{method} {target(path)} HTTP/{version}', f'Host: {host}', *lines]) + '\r\n\r\n').encode()

    def read_response(c):
        head = read_head(c)
        if ' 100 ' in head.split('\r\n')[0]:
            return head
        length = re.search(r'(?mi)^content-length: *(\d+)', head)
        if length:
            read_exactly(c, int(length[1]))
        elif 'chunked' in head.lower():
            while size := int(read_line(c), 16):
                read_exactly(c, size + 2)
            while read_line(c):
                pass
        else:
            while c.recv(65536):
                pass
        return head

    def read_line(c):
        line = b''
        while not line.endswith(b'\r\n'):
            line += read_exactly(c, 1)
        return line[:-2].decode()

    def get(c, path, *lines, version='1.1'):
        c.sendall(head('GET', path, lines, version))
        response = read_response(c)
        assert ' 200 ' in response, response

    def post(c, path, body, chunked=False, expect=False):
        lines = ['Transfer-Encoding: chunked'] if chunked else [f'Content-Length: {len(body)}']
        c.sendall(head('POST', path, lines + (['Expect: 100-continue'] if expect else [])))
        if expect:
            assert ' 100 ' in read_response(c)
        if chunked:
            body = b'%x\r\n%s\r\n0\r\n\r\n' % (len(body), body)
        c.sendall(body)
        assert ' 200 ' in read_response(c)

    def early(c, path):
        """The rest of the content never leaves."""
        c.sendall(head('POST', path, ['Content-Length: 100000']) + b'the first part')
        assert ' 413 ' in read_response(c)

    def await_end(c):
        """The peer ends it, and within our patience: that is what is asked here."""
        try:
            assert c.recv(1) == b'', 'more came'
        except ConnectionResetError:
            pass
        except ssl.SSLEOFError:
            pass
        c.close()

    def end(c):
        if isinstance(c, ssl.SSLSocket):
            try:
                c.unwrap()
            except (OSError, ssl.SSLError):
                pass
        c.close()

    def reset(c):
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        c.close()

    """#

  static let pythonPrelude = """
    import os, sys
    import requests

    scheme, port, proxy, authority, base = sys.argv[1:6]
    os.environ['REQUESTS_CA_BUNDLE'] = authority
    os.environ['no_proxy'] = ''
    if proxy:
        os.environ['http_proxy'] = os.environ['https_proxy'] = f'http://127.0.0.1:{proxy}'

    def url(path):
        return f'{scheme}://localhost:{port}{base}/{path}'

    """

  static let nodePrelude = """
    const http = require('http');
    const [scheme, port, proxy, authority, base] = process.argv.slice(1);
    const get = (path, agent) => new Promise((done, failed) => {
      const target = proxy ? `http://localhost:${port}${base}/${path}` : `${base}/${path}`;
      const options = {host: '127.0.0.1', port: proxy || port, path: target, headers: {Host: `localhost:${port}`}, agent};
      http.get(options, response => { response.resume(); response.on('end', () => setImmediate(done)); }).on('error', failed);
    });
    (async () => {
    """

  static let nodeEnd = "\n})().catch(error => { console.error(error); process.exit(1); });"
}
