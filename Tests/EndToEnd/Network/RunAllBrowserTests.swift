import TapelineTestSupport
import Testing

extension EndToEnd.RunAll {
  /// A server that invites to HTTP/3 at its own port, and ends each connection: each part of the page is asked for anew.
  @Test func aBrowserThatTriesHTTP3FallsBack() throws {
    let authority = try TestAuthority()
    let server = try NginxServer(
      identity: authority.issue(),
      directives: #"keepalive_timeout 0; add_header Alt-Svc 'h3=":$server_port"; ma=86400';"#)
    let parts = (1...4).map { "part\($0).js" }
    let page = "<!DOCTYPE html><title>T</title><body>" + parts.map { "<script src=\"\($0)\"></script>" }.joined()
    try server.serve(Array(page.utf8), as: "page.html")
    for part in parts { try server.serve(Array("document.body.append('loaded \(part) ')".utf8), as: part) }
    let directory = try TemporaryDirectory()
    let home = directory.path("authority")
    let hash = try HeadlessChromium.publicKeyHash(in: home)
    let command = HeadlessChromium.command(
      printing: server.tlsURL("/page.html"), profile: directory.path("profile"), trusting: hash, ["--enable-quic"])
    let run = try TestProcess(
      TapelineProcess.binary,
      ["run", "--all", "-o", directory.path("a.har"), "--ca-dir", home, "--upstream-ca", authority.certificate, "--"] + command,
      environment: ["HOME": directory.path])
    #expect(try run.wait(seconds: 120).isSuccess, "\(run.errorText)")
    for part in parts { #expect(run.outputText.contains("loaded \(part)"), "\(run.outputText)") }
    // It tried once, was refused, and took the way that can be read.
    #expect(try Self.refusedDatagrams(run.errorText) >= 1, "\(run.errorText)")
    let log = try RecordedLog(contentsOf: directory.path("a.har"))
    for part in parts {
      let entry = try log.entry("/\(part)")
      #expect(entry.status == 200 && entry.request?["httpVersion"]?.string == "HTTP/1.1")
      #expect(entry.tree["_alternatives"]?.elements.first?["protocol"]?.string == "h3", "\(entry.tree)")
    }
  }

  private static func refusedDatagrams(_ text: String) throws -> Int {
    let words = try #require(text.split(separator: "refused: ").last).prefix { $0 != " " }
    return try #require(Int(words), "\(text)")
  }
}
