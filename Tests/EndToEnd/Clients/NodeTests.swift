import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Node.js that takes no proxy from its environment, made to by the script that it loads first.
  @Suite struct Node {
    private let authority: TestAuthority
    private let server: NginxServer

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(identity: authority.issue())
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
    }

    /// `say` prints; `get` answers with what came, and whether it came over a connection that was there.
    private static let prelude = """
      const http = require('http'), https = require('https'), net = require('net'), tls = require('tls');
      const [clear, secure] = process.argv.slice(1);
      const say = (...words) => console.log(...words);
      const get = (module, url, options = {}) => new Promise((done, failed) => {
        const request = module.request(url, options, answer => {
          let text = '';
          answer.on('data', part => text += part).on('end', () => done(`${answer.statusCode} ${text.trim()} ${request.reusedSocket}`));
        });
        request.on('error', error => done(error.code)).end(options.body);
      });

      """

    private var urls: [String] { [server.url("/hello.txt"), server.tlsURL("/hello.txt")] }

    /// Runs `program` with and without recording, and expects the same of both.
    private func run(
      _ program: String, options: [String] = [], environment: [String: String] = [:],
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunRecording {
      let command = [
        "node", "-e", Self.prelude + "(async () => {\(program)\n})().catch(error => { say(error.stack); process.exit(1); });",
      ]
      let trust = ["NODE_EXTRA_CA_CERTS": authority.certificate]
      let direct = try TestProcess(command[0], Array(command.dropFirst()) + urls, environment: environment.merging(trust) { $1 })
      #expect(try direct.wait(seconds: 60).isSuccess, "\(direct.errorText)", sourceLocation: sourceLocation)
      let recorded = try RunRecording(
        trusting: authority, options: options, command + urls, environment: environment, sourceLocation: sourceLocation)
      #expect(recorded.process.outputText == direct.outputText, sourceLocation: sourceLocation)
      return recorded
    }

    private func names(_ run: RunRecording) -> Set<String> {
      Set(run.exchanges.compactMap { $0.url.split(separator: "?").last.map(String.init) })
    }

    @Test func httpAndHTTPSWithEveryAgent() throws {
      let run = try run(
        """
        for (const [name, module, url] of [['c', http, clear], ['s', https, secure]]) {
          say(await get(module, url + '?standard-' + name));
          const kept = new module.Agent({ keepAlive: true, maxSockets: 1 });
          say(await get(module, url + '?kept1-' + name, { agent: kept }));
          say(await get(module, url + '?kept2-' + name, { agent: kept }));
          const queued = [1, 2, 3].map(n => get(module, `${url}?queued${n}-${name}`, { agent: kept, headers: ['Host', new URL(url).host] }));
          say(...await Promise.all(queued));
          say(await get(module, url + '?single-' + name, { agent: false }));
          class Own extends module.Agent {
            createConnection(options, done) {
              const socket = super.createConnection(options, done);
              socket.ours = true;
              return socket;
            }
          }
          say(await get(module, url + '?own-' + name, { agent: new Own() }));
        }
        """, environment: ["NODE_OPTIONS": "--no-deprecation"])
      let expected = ["standard", "kept1", "kept2", "queued1", "queued2", "queued3", "single", "own"].flatMap {
        ["\($0)-c", "\($0)-s"]
      }
      #expect(names(run) == Set(expected))
      #expect(run.entries.allSatisfy { $0.error == nil && $0.contentText == "hello\n" })
    }

    @Test func fetchInTheProgramItsWorkersAndItsChildren() throws {
      let run = try run(
        """
        const fetched = async url => (await (await fetch(url)).text()).trim();
        say(await fetched(clear + '?clear'), await fetched(secure + '?secure'));
        say((await Promise.all([1, 2, 3].map(n => fetched(secure + '?many' + n)))).join());
        const { Worker } = require('worker_threads');
        const work = `fetch('${secure}?worker').then(answer => answer.text()).then(text => require('worker_threads').parentPort.postMessage(text))`;
        say(await new Promise((done, failed) => new Worker(work, { eval: true }).on('message', done).on('error', failed)));
        const child = environment => require('child_process').execFileSync(process.execPath, ['-e',
          `require('https').get('${secure}?${environment}', answer => answer.pipe(process.stdout))`],
          { env: { ...process.env, ...(environment === 'without' ? { https_proxy: '', HTTPS_PROXY: '' } : {}) } });
        say(String(child('child')), String(child('without')));
        """)
      #expect(
        names(run) == ["clear", "secure", "many1", "many2", "many3", "worker", "child"], "who takes the variables out goes past")
    }

    @Test func whatHasItsOwnWayKeepsIt() throws {
      let directory = try TemporaryDirectory()
      let run = try run(
        """
        const path = '\(directory.path)/socket-' + process.pid;
        const local = http.createServer((_, answer) => answer.end('local')).listen(path);
        await new Promise(done => local.on('listening', done));
        say(await get(http, { socketPath: path, path: '/' }));
        local.close();
        const own = new http.Agent();
        own.createConnection = options => net.connect(options.port, options.host);
        say(await get(http, clear + '?own', { agent: own }));
        say(await get(http, clear.replace('127.0.0.1', 'localhost') + '?excepted'));
        say(await get(https, 'https://localhost:1/'));
        say(await get(http, clear + '?through'));
        """.replacing(
          "get(http, { socketPath: path, path: '/' })",
          with: "get({ request: (_, options, done) => http.request({ socketPath: path, path: '/' }, done) }, '')"),
        environment: ["NO_PROXY": "excepted.test"])
      #expect(names(run) == ["excepted", "through"], "localhost is no exception")
      #expect(run.entries.filter { $0.method == "CONNECT" }.allSatisfy { $0.url.contains(":1/") })
    }

    @Test func exceptionsAndCredentialsOfTheProxyHold() throws {
      let run = try run(
        """
        say(await get(http, clear + '?h1'), await get(https, secure + '?h2'));
        say(await (await fetch(clear + '?f1')).text(), await (await fetch(secure + '?f2')).text());
        """, options: ["--auth", "me@home:p:w"], environment: ["NO_PROXY": "localhost:9,other.test"])
      #expect(names(run) == ["h1", "h2", "f1", "f2"])
    }

    /// As the package `ws` does it: a request with a function of its own to connect.
    @Test(arguments: [false, true])
    func webSockets(isSecure: Bool) throws {
      let (process, port) = try WebSocketPeers.startEchoServer(identity: isSecure ? authority.issue() : nil)
      let run = try run(
        """
        const isSecure = \(isSecure);
        function netConnect(options) { options.path = options.socketPath; return net.connect(options); }
        function tlsConnect(options) { options.path = undefined; options.servername = options.host; return tls.connect(options); }
        const request = (isSecure ? https : http).get({
          host: 'localhost', port: \(port), path: '/socket', createConnection: isSecure ? tlsConnect : netConnect,
          headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': 13, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
        });
        await new Promise((done, failed) => request.on('error', failed).on('upgrade', (answer, socket) => {
          socket.once('data', data => {
            say(answer.statusCode, data.toString('latin1').slice(2));
            socket.end(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
            done();
          });
          socket.on('error', () => {});
          socket.write(Buffer.concat([Buffer.from([0x81, 0x82, 0, 0, 0, 0]), Buffer.from('hi')]));
        }));
        """)
      #expect(run.process.outputText == "101 hi\n")
      #expect(try run.entry("/socket").status == 101)
      _ = process
    }

    @Test func aShellWithEnvToo() throws {
      let directory = try TemporaryDirectory()
      let recording = try recording([
        "--intercept", "--ca-dir", directory.path, "--upstream-ca", authority.certificate,
      ]) { proxy in
        let script = #"eval "$($0 env --port-file $1)"; eval "$($0 env --port-file $1)"; echo "$NODE_OPTIONS"; node -e "$2" $3"#
        let program = "require('https').get(process.argv[1], answer => answer.pipe(process.stdout))"
        let shell = try TestProcess(
          "sh", ["-ec", script, TapelineProcess.binary, proxy.portFile, program, server.tlsURL("/hello.txt?env")])
        #expect(try shell.wait(seconds: 60).isSuccess, "\(shell.errorText)")
        #expect(shell.outputText == "--require \(directory.path)/tapeline-node.cjs\nhello\n", "asked twice, loaded once")
      }
      #expect(try recording.entry("?env").contentText == "hello\n")
    }
  }
}
