import TapelineTestSupport
import Testing

/// A client that sends two uploads of `size` bytes, on one connection where it keeps one, and prints what it got for each.
struct EarlyUpload: Sendable, CustomTestStringConvertible {
  let name: String
  var version = EarlyOrigin.Version.clear
  private let command: @Sendable (_ first: String, _ second: String) -> [String]

  var testDescription: String { "\(name), \(version)" }

  static let size = 3_000_000

  /// The command, for the two URLs. `CA` names the file of authorities to trust.
  func command(_ base: String, _ mode: String) -> [String] {
    command("\(base)/\(mode)/1", "\(base)/\(mode)/2")
  }

  /// A shell makes a file to upload, which goes with it.
  private static let file = #"file=$(mktemp); trap 'rm "$file"' EXIT; head -c \#(size) /dev/zero > "$file""#

  private static func curl(_ version: EarlyOrigin.Version, isChunked: Bool = false) -> EarlyUpload {
    let name = isChunked ? "curl, chunks" : "curl"
    let framing = isChunked ? "-H 'Transfer-Encoding: chunked'" : ""
    let flags =
      "-sS --max-time 60 \(version == .http2 ? "--http2" : "--http1.1") -H Expect: \(framing) --noproxy '' --cacert \"$CA\" -o /dev/null -w '%{http_code} %{size_download} %{size_upload}\\n' -T"
    return EarlyUpload(name: name, version: version) { first, second in
      [
        "sh", "-c",
        "\(file); curl \(flags) \"$file\" \"$0\" --next \(flags) \"$file\" \"$1\"", first, second,
      ]
    }
  }

  private static func python(_ name: String, in version: EarlyOrigin.Version = .clear, _ text: String) -> EarlyUpload {
    EarlyUpload(name: name, version: version) { first, second in
      [pythonInterpreter(), "-c", "import os, sys, time\nbody = b'x' * \(size)\nca = os.environ['CA']\n\(text)", first, second]
    }
  }

  static let all = [
    curl(.clear), curl(.clear, isChunked: true), curl(.http1), curl(.http1, isChunked: true), curl(.http2),
    python(
      "requests", "import requests\ns = requests.Session()\nfor url in sys.argv[1:]:\n  print(s.put(url, data=body).status_code)"),
    python(
      "requests, chunks", in: .http1,
      "import requests\ns = requests.Session()\nfor url in sys.argv[1:]:\n"
        + "  print(s.put(url, data=(body[at:at + 65536] for at in range(0, len(body), 65536)), verify=ca).status_code)"),
    python(
      "httpx", in: .http2,
      "import httpx\nwith httpx.Client(http2=True, verify=ca) as s:\n  for url in sys.argv[1:]:\n    r = s.put(url, content=body)\n"
        + "    print(r.http_version, r.status_code, len(r.content))"),
    python("http.client with pauses", paused),
    EarlyUpload(name: "wget") { first, second in
      [
        "sh", "-c",
        "\(file); wget -q -t 1 -O - --method=PUT --body-file=\"$file\" \"$0\" \"$1\" | wc -c", first, second,
      ]
    },
    EarlyUpload(name: "Node") { first, second in ["node", "-e", node, first, second] },
    EarlyUpload(name: "Java") { first, second in
      ["java", "\(repositoryRoot)/Tests/Fixtures/early/Upload.java", String(size), first, second]
    },
  ]

  private static let paused = """
    import http.client, urllib.parse
    proxy = urllib.parse.urlsplit(os.environ.get('http_proxy', ''))
    url = urllib.parse.urlsplit(sys.argv[1])
    c = http.client.HTTPConnection(proxy.hostname or url.hostname, proxy.port or url.port)
    for target in sys.argv[1:]:
      c.putrequest('PUT', target if proxy.hostname else urllib.parse.urlsplit(target).path)
      c.putheader('Content-Length', str(len(body)))
      c.endheaders()
      for at in range(0, len(body), 600000):
        c.send(body[at:at + 600000])
        time.sleep(.02)
      r = c.getresponse()
      print(r.status, len(r.read()))
    """

  private static let node = """
    const http = require('http'), proxy = process.env.http_proxy ? new URL(process.env.http_proxy) : undefined;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const put = (target) => new Promise((done, failed) => {
      const url = new URL(target);
      const place = proxy ? { host: proxy.hostname, port: proxy.port, path: target } : { host: url.hostname, port: url.port, path: url.pathname };
      const request = http.request({ ...place, method: 'PUT', agent, headers: { 'Content-Length': \(size) } });
      let answer, sent = false;
      const end = () => { if (answer && sent) { console.log(answer); done(); } };
      request.on('finish', () => { sent = true; end(); });
      request.on('response', (r) => { r.resume(); r.on('end', () => { answer = r.statusCode; end(); }); });
      request.on('error', failed);
      for (let at = 0; at < \(size); at += 60000) request.write(Buffer.alloc(Math.min(60000, \(size) - at)));
      request.end();
    });
    (async () => { for (const target of process.argv.slice(1)) await put(target); agent.destroy(); })();
    """
}
