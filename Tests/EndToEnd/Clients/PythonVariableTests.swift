import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Clients of Python that look for a proxy in variables of their own, or for authorities.
  @Suite struct PythonVariables {
    private static let webSocketClient = """
      import asyncio, aiohttp, sys
      async def main():
          async with aiohttp.ClientSession(trust_env=sys.argv[1] == 'environment') as session:
              async with session.ws_connect(sys.argv[2]) as socket:
                  await socket.send_str('hi')
                  print((await socket.receive()).data)
      asyncio.run(main())
      """

    @Test(arguments: [false, true])
    func aiohttpWebSocket(isSecure: Bool) throws {
      let authority = try TestAuthority()
      let (process, port) = try WebSocketPeers.startEchoServer(identity: isSecure ? authority.issue() : nil)
      let url = "\(isSecure ? "wss" : "ws")://localhost:\(port)/socket"
      let run = try RunRecording(
        trusting: authority, [pythonInterpreter(), "-c", Self.webSocketClient, "environment", url])
      #expect(run.process.outputText == "hi\n")
      #expect(try run.entry("/socket").status == 101)
      _ = process
    }

    /// HTTP/2 inside TLS is not read: the tunnel stands in the log.
    @Test func gRPC() throws {
      let authority = try TestAuthority()
      let identity = try authority.issue()
      let server = try TestProcess(
        pythonInterpreter(),
        [
          "-u", "-c",
          """
          import grpc, sys, threading
          from concurrent import futures
          class Handler(grpc.GenericRpcHandler):
              def service(self, details):
                  return grpc.unary_unary_rpc_method_handler(lambda request, context: b'pong ' + request)
          server = grpc.server(futures.ThreadPoolExecutor(2), handlers=(Handler(),))
          read = lambda name: open(name, 'rb').read()
          credentials = grpc.ssl_server_credentials([(read(sys.argv[1]), read(sys.argv[2]))])
          print('port', server.add_secure_port('127.0.0.1:0', credentials))
          server.start()
          threading.Event().wait()
          """, identity.key, identity.certificate,
        ])
      let port = try server.waitForOutputLine(containing: "port ").dropFirst("port ".count)
      let run = try RunRecording(
        trusting: authority,
        [
          pythonInterpreter(), "-c",
          """
          import grpc, sys
          channel = grpc.secure_channel(sys.argv[1], grpc.ssl_channel_credentials())
          print(channel.unary_unary('/service/method')(b'ping', timeout=30).decode())
          """, "localhost:\(port)",
        ])
      #expect(run.process.outputText == "pong ping\n")
      let call = try run.entry("/service/method")
      #expect(call.method == "POST" && call.url.contains(":\(port)"))
    }
  }
}
