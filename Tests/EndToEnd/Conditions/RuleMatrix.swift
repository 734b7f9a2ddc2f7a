import TapelineTestSupport
import Testing

/// Rules for requests that name them by a field, and a client that makes such a request for each, over every protocol: curl over
/// HTTP/1.1 and HTTP/2, for a page and for an event stream, a WebSocket by websockets, a call by grpcio.
enum RuleMatrix {
  /// By the names that requests give them; several for one name.
  static let rules = [
    ("delay", "delay 80ms"), ("stall", "stall 80ms after 3B"), ("rate", "rate 400B/s"),
    ("status", "status 503 retry-after 7s"), ("reset", "reset"), ("close", "block close"), ("block", "block"),
    ("timeout", "timeout"), ("truncate", "truncate 3B"), ("cut", "cut after 2 events"), ("grpc", "grpc RESOURCE_EXHAUSTED"),
    ("edit", "set response X-New: yes"), ("edit", "remove response X-Gone"), ("edit", "set request X-New: yes"),
  ]

  static var options: [String] {
    rules.flatMap { ["--rule", #"req.header["x-rule"] == "\#($0)": \#($1)"#] }
  }

  /// The ways of the client, and what the URLs of their requests end with.
  ///
  /// WebSockets in clear only: the client of websockets waits for the end of TLS from a server that says nothing any more.
  static func ways(isSecure: Bool) -> [String: String] {
    let both = [
      "h1": "/page?h1", "h2": "/page?h2", "h1-events": "/events?h1", "h2-events": "/events?h2", "call": "/lab.Rules/Stream",
    ]
    return isSecure ? both : both.merging(["socket": "/socket"]) { $1 }
  }

  /// What a client must say of a rule; several are right where it may drop what came before a failure.
  static func expected(_ rule: String, _ way: String) -> [String] {
    let isCall = way == "call"
    // curl may read the end of a stream of HTTP/2 together with what came before it.
    let mayDrop = way.hasPrefix("h2") ? ["nothing"] : []
    switch rule {
    case "none": return ["whole"]
    case "delay", "stall", "rate": return ["whole late"]
    case "status": return isCall ? ["nothing UNAVAILABLE"] : ["status 503 retry-after 7"]
    // grpcio names the page's status only if it has read it before the page's end.
    case "block": return isCall ? ["nothing PERMISSION_DENIED", "nothing UNKNOWN"] : ["status 403"]
    case "reset", "close": return isCall ? ["nothing INTERNAL"] : ["nothing"]
    case "timeout": return isCall ? ["nothing DEADLINE_EXCEEDED"] : ["nothing"]
    case "truncate" where isCall: return ["nothing INTERNAL"]
    case "truncate": return mayDrop + [way.hasSuffix("events") || way == "socket" ? "part 0" : "part 3"]
    case "cut" where isCall: return (0...2).map { "\($0 == 0 ? "nothing" : "part \($0)") INTERNAL" }
    case "cut": return way == "h1" || way == "h2" ? ["whole"] : mayDrop + ["part 2"]
    case "grpc": return isCall ? ["nothing RESOURCE_EXHAUSTED"] : ["whole"]
    case "edit": return ["whole edited"]
    case let other: preconditionFailure("no rule has the name \(other)")
    }
  }

  /// A server of pages, event streams and WebSockets by hypercorn, and one of calls by grpcio.
  static func startOrigin(identity: TestIdentity?) throws -> (process: TestProcess, ports: [String]) {
    let process = try TestProcess(
      pythonInterpreter(), ["-u", "-c", origin] + (identity.map { [$0.certificate, $0.key] } ?? []))
    let line = try process.waitForOutputLine(containing: "ports ", seconds: 60)
    return (process, line.split(separator: " ").dropFirst().map(String.init))
  }

  /// - Parameter arguments: the ports, and whether they speak TLS.
  static func client(_ arguments: [String]) -> [String] {
    [pythonInterpreter(), "-c", clientProgram] + arguments + ["none"] + Set(rules.map(\.0)).sorted()
  }

  private static let origin = """
    import asyncio, socket, sys
    from concurrent import futures
    import grpc
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    async def app(scope, receive, send):
        if scope['type'] == 'lifespan':
            return
        own = [(b'x-gone', b'yes'), (b'x-seen', dict(scope['headers']).get(b'x-new', b'no'))]
        if scope['type'] == 'websocket':
            await receive()
            await send({'type': 'websocket.accept', 'headers': own})
            for number in range(3):
                await send({'type': 'websocket.send', 'text': f'message {number}'})
            return await send({'type': 'websocket.close'})
        own += ([(b'content-type', b'text/event-stream')] if scope['path'] == '/events'
                else [(b'content-type', b'text/plain'), (b'content-length', b'100')])
        await send({'type': 'http.response.start', 'status': 200, 'headers': own})
        parts = [b'data: event %d\\n\\n' % number for number in range(3)] if scope['path'] == '/events' else [b'x' * 100]
        for part in parts:
            await send({'type': 'http.response.body', 'body': part, 'more_body': True})
        await send({'type': 'http.response.body', 'body': b''})

    def stream(request, context):
        seen = dict(context.invocation_metadata()).get('x-new', 'no')
        context.send_initial_metadata((('x-gone', 'yes'), ('x-seen', seen)))
        for number in range(3):
            yield b'message %d' % number

    files = sys.argv[1:]
    calls = grpc.server(futures.ThreadPoolExecutor(16))
    handlers = {'Stream': grpc.unary_stream_rpc_method_handler(stream)}
    calls.add_generic_rpc_handlers((grpc.method_handlers_generic_handler('lab.Rules', handlers),))
    listening = socket.create_server(('127.0.0.1', 0))
    config = Config()
    config.bind = [f'fd://{listening.fileno()}']
    if files:
        config.certfile, config.keyfile = files
        pair = tuple(open(file, 'rb').read() for file in reversed(files))
        port = calls.add_secure_port('127.0.0.1:0', grpc.ssl_server_credentials([pair]))
    else:
        port = calls.add_insecure_port('127.0.0.1:0')
    calls.start()
    print('ports', listening.getsockname()[1], port)
    asyncio.run(serve(app, config))
    """

  private static let clientProgram = """
    import os, ssl, subprocess, sys, time
    from concurrent.futures import ThreadPoolExecutor
    import grpc
    from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidStatus
    from websockets.sync.client import connect

    port, calls_port, tls, *rules = sys.argv[1:]
    secure = tls == 'tls'
    place = f'localhost:{port}'
    channel = (grpc.secure_channel(f'localhost:{calls_port}', grpc.ssl_channel_credentials()) if secure
               else grpc.insecure_channel(f'localhost:{calls_port}'))

    def patience(rule):
        return 1 if rule == 'timeout' else 30

    def edits(fields):
        seen = (fields.get('x-new'), fields.get('x-gone'), fields.get('x-seen'))
        return {('yes', None, 'yes'): ' edited', (None, 'yes', 'no'): ''}.get(seen, f' {seen}')

    def status(code, fields):
        after = fields.get('retry-after')
        return f'status {code}' + (f' retry-after {after}' if after else '')

    def curl(rule, path, *options):
        words = ['curl', '-siN', '--suppress-connect-headers', '-m', str(patience(rule)), '-H', f'X-Rule: {rule}', *options]
        ended = subprocess.run([*words, f'http{"s" if secure else ""}://{place}{path}'], capture_output=True)
        head, _, body = ended.stdout.partition(b'\\r\\n\\r\\n')
        if not head:
            return 'nothing' if ended.returncode else 'no head'
        first, *lines = head.decode().split('\\r\\n')
        fields = {name.lower(): value for name, value in (line.split(': ', 1) for line in lines)}
        if first.split()[1] != '200':
            return status(first.split()[1], fields)
        events = path.startswith('/events')
        count = body.count(b'\\n\\n') if events else len(body)
        whole = ended.returncode == 0 and count == (3 if events else 100)
        return ('whole' if whole else f'part {count}' if ended.returncode else f'ends after {count}') + edits(fields)

    def socket(rule):
        try:
            with connect(f'ws{"s" if secure else ""}://{place}/socket', additional_headers={'X-Rule': rule},
                         proxy=os.environ['HTTP_PROXY'], ssl=ssl.create_default_context() if secure else None,
                         open_timeout=patience(rule), compression=None) as connection:
                count = 0
                try:
                    while True:
                        connection.recv(timeout=30)
                        count += 1
                except ConnectionClosedOK:
                    return ('whole' if count == 3 else f'ends after {count}') + edits(connection.response.headers)
                except ConnectionClosed:
                    return f'part {count}' + edits(connection.response.headers)
        except InvalidStatus as error:
            return status(error.response.status_code, error.response.headers)
        except Exception as error:
            print('socket', rule, repr(error), file=sys.stderr)
            return 'nothing'

    def call(rule):
        messages = channel.unary_stream('/lab.Rules/Stream')(
            b'', metadata=(('x-rule', rule),), timeout=patience(rule), wait_for_ready=True)
        count = 0
        try:
            for message in messages:
                count += 1
            return ('whole' if count == 3 else f'ends after {count}') + edits(dict(messages.initial_metadata()))
        except grpc.RpcError as error:
            print('call', rule, error.details(), file=sys.stderr)
            return f'part {count} {error.code().name}' if count else f'nothing {error.code().name}'

    h2 = ['--http2'] if secure else ['--http2-prior-knowledge', '-p']
    ways = {
        'h1': lambda rule: curl(rule, '/page?h1', '--http1.1'), 'h2': lambda rule: curl(rule, '/page?h2', *h2),
        'h1-events': lambda rule: curl(rule, '/events?h1', '--http1.1'),
        'h2-events': lambda rule: curl(rule, '/events?h2', *h2), 'call': call,
    }
    if not secure:
        ways['socket'] = socket

    def measured(way, rule):
        began = time.monotonic()
        outcome = ways[way](rule)
        isLate = rule in ('delay', 'stall', 'rate') and time.monotonic() - began >= 0.08
        return f'{way} {rule}: {outcome}' + (' late' if isLate else '')

    with ThreadPoolExecutor(12) as pool:
        for line in pool.map(lambda pair: measured(*pair), [(way, rule) for rule in rules for way in ways]):
            print(line)
    """
}
