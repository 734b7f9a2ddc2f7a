import TapelineTestSupport
import Testing

/// Server and client of Python's `websockets`, each a program of its own.
enum WebSocketPeers {
  /// Sends every message back, and after "bye" closes with status 4001. Says its port on stdout.
  static func startEchoServer(identity: TestIdentity?) throws -> (process: TestProcess, port: Int) {
    let server = try TestProcess(
      pythonInterpreter(), ["-u", "-c", serverProgram] + (identity.map { [$0.certificate, $0.key] } ?? []))
    let line = try server.waitForOutputLine(containing: "port ")
    return (server, try #require(Int(line.dropFirst("port ".count))))
  }

  /// Sends text of every size class, binary, fragments and a ping, and compares the echoes.
  ///
  /// - Parameter arguments: URL; `tunnel`, `absolute` or `direct`; proxy port; PEM file of authorities or nothing; compression or
  ///   nothing.
  static func client(_ arguments: [String]) -> [String] {
    [pythonInterpreter(), "-c", clientProgram] + arguments
  }

  private static let serverProgram = """
    import asyncio, ssl, sys
    from websockets.asyncio.server import serve

    async def echo(connection):
        async for message in connection:
            if message == 'bye':
                await connection.close(4001, 'as you wish')
                return
            await connection.send(message)

    async def main():
        context = None
        if len(sys.argv) > 1:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
        async with serve(echo, '127.0.0.1', 0, ssl=context, max_size=None) as server:
            print('port', server.sockets[0].getsockname()[1])
            await server.serve_forever()

    asyncio.run(main())
    """

  private static let clientProgram = """
    import socket, ssl, sys
    from urllib.parse import urlsplit
    from websockets.client import ClientProtocol
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    url, form, proxy, authority, compression = sys.argv[1:6]
    options = {'compression': compression or None, 'max_size': None, 'proxy': None}
    if url.startswith('wss'):
        options['ssl'] = ssl.create_default_context(cafile=authority or None)
    if form == 'tunnel':
        options['proxy'] = f'http://127.0.0.1:{proxy}'
    elif form == 'absolute':
        # No client of today sends an absolute-form request for ws:, but old ones did, and a proxy has to take it.
        options['sock'] = socket.create_connection(('127.0.0.1', int(proxy)))
        plain = ClientProtocol.connect
        def absolute(self):
            request = plain(self)
            request.path = 'http://' + urlsplit(url).netloc + request.path
            return request
        ClientProtocol.connect = absolute

    with connect(url, **options) as connection:
        for message in ('hello', 'ż' * 100, 'long ' * 20_000, bytes(range(256)), 'hello'):
            connection.send(message)
            assert connection.recv() == message
        connection.send(['frag', 'ment', 'ed'])
        assert connection.recv() == 'fragmented'
        assert connection.ping().wait(10)
        connection.send('bye')
        try:
            connection.recv()
            sys.exit('still open')
        except ConnectionClosed as closed:
            assert closed.rcvd.code == 4001, closed
    """
}
