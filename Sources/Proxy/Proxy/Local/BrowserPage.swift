internal import TapelineTLS
internal import TapelineBase

/// `/` for browsers: links to everything that clients need, phones among them.
///
/// It has no script, and its one style is allowed by its hash.
struct BrowserPage {
  let authority: String
  let certificate: AuthorityCertificate?
  let activity: ProxyActivity?
  var livePage = LivePageLink.none

  var reply: LocalReply {
    LocalReply(page: Array(text.utf8), mediaType: "text/html; charset=utf-8", style: Self.style)
  }

  private var text: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>tapeline at \(authority.escaped(for: .html))</title>
    <style>\(Self.style)</style>
    <main>
    <h1>tapeline</h1>
    <p>A forwarding proxy that records the traffic through it, and how long each part took. It is listening here.</p>
    \(certificateSection)
    \(proxySection)
    \(numbersSection)
    </main>
    </html>

    """
  }

  private var certificateSection: String {
    guard let certificate else {
      return """
        <section>
        <h2>Certificate</h2>
        <p>HTTPS is tunnelled and timed here, not decrypted: there is nothing to trust. <code>tapeline record --intercept</code> decrypts it.</p>
        </section>
        """
    }
    return """
      <section>
      <h2>1. Trust the certificate</h2>
      <p>HTTPS is decrypted for clients that trust it.</p>
      <p class="buttons"><a class="button" href="/ca.crt">Certificate for phones and Windows</a> <a class="button plain" href="/ca.pem">As PEM, for everything else</a></p>
      <details><summary>iPhone and iPad</summary><p>Open this page in Safari and allow the download. Install the profile in Settings › General › VPN &amp; Device Management,
      then switch it on in Settings › General › About › Certificate Trust Settings.</p></details>
      <details><summary>Android</summary><p>Install it in Settings › Security › Encryption &amp; credentials › Install a certificate › CA certificate. Browsers trust it then; other
      apps do if they were made to trust certificates of the user.</p></details>
      <details><summary>Is it the right one?</summary><p>Its SHA-256, which <code>tapeline ca trust</code> prints on the machine, too:</p><p><code>\(certificate.fingerprint)</code></p></details>
      <p class="quiet">\(certificate.commonName.escaped(for: .html)), valid until \(certificate.lastDay). Remove it when you are done.</p>
      </section>
      """
  }

  private var proxySection: String {
    let (host, port) = Self.parts(of: authority)
    let shown = authority.escaped(for: .html)
    let note =
      isLoopback(host)
      ? "<p class=\"quiet\">This address is for programs on the machine itself. A phone needs the machine's address in your network, and a proxy that listens there (<code>--listen</code>).</p>"
      : ""
    return """
      <section>
      <h2>\(certificate == nil ? "Use the proxy" : "2. Use the proxy")</h2>
      <dl><dt>Server</dt><dd><code>\(host.escaped(for: .html))</code></dd><dt>Port</dt><dd><code>\(port.escaped(for: .html))</code></dd>
      <dt>Automatic</dt><dd><a href="/proxy.pac"><code>http://\(shown)/proxy.pac</code></a></dd></dl>
      \(note)
      <p>In a shell:</p>
      <pre>export HTTP_PROXY=http://\(shown) HTTPS_PROXY=http://\(shown)</pre>
      </section>
      """
  }

  private var numbersSection: String {
    let numbers =
      activity.map {
        """
        <dl><dt>In flight</dt><dd>\($0.inFlight)</dd><dt>Tunnels</dt><dd>\($0.openTunnels)</dd>
        <dt>Clients</dt><dd>\($0.clientConnections)</dd><dt>Requests so far</dt><dd>\($0.begun)</dd></dl>
        """
      } ?? "<p>The numbers are for the machine itself, or for people who know the proxy's name and password.</p>"
    return """
      <section>
      <h2>Now</h2>
      \(numbers)
      <p>\(liveLink)<a href="/metrics">Metrics for Prometheus</a> · <a href="/healthz">Health</a></p>
      </section>
      """
  }

  private var liveLink: String {
    switch livePage {
    case .none: ""
    case .open: "<a href=\"\(LocalVisit.root)\">The exchanges, live</a> · "
    case .keyed: "The exchanges, live: at the address that <code>tapeline status</code> prints · "
    }
  }

  private func isLoopback(_ host: String) -> Bool {
    host == "[::1]" || host.hasPrefix("127.") || Host(host).isLocalhost
  }

  private static func parts(of authority: String) -> (host: String, port: String) {
    let ranges = AuthorityRanges(authority.utf8.span, in: 0..<authority.utf8.count)
    return (String(authority[utf8: ranges.host]), ranges.port.map { String(authority[utf8: $0]) } ?? "80")
  }

  private static let style = """
    :root{color-scheme:light dark;--line:light-dark(#dfe3e8,#2b313b);--quiet:light-dark(#606a78,#929cab);--accent:light-dark(#1a64d6,#6aa5ff);\
    --raised:light-dark(#f6f7f9,#1b1f26)}
    body{margin:0;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:light-dark(#1b2129,#dde2ea);\
    background:light-dark(#fff,#15181d)}
    main{max-width:640px;margin:0 auto;padding:20px 16px 48px}
    h1{margin:0;font-size:26px}h2{margin:0 0 8px;font-size:17px}p{margin:8px 0}
    section{margin-top:18px;padding:14px 16px;border:1px solid var(--line);border-radius:12px}
    a{color:var(--accent)}.quiet{color:var(--quiet);font-size:14px}
    .buttons{display:flex;flex-wrap:wrap;gap:8px}
    .button{padding:9px 14px;border:1px solid var(--accent);border-radius:9px;background:var(--accent);color:light-dark(#fff,#0c1220);text-decoration:none;font-weight:600}
    .plain{background:none;color:var(--accent);font-weight:500}
    details{padding:7px 0;border-top:1px solid var(--line)}summary{cursor:pointer}
    dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px;margin:8px 0}dt{color:var(--quiet)}dd{margin:0}
    code,pre{font:14px/1.5 ui-monospace,Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
    pre{margin:0;padding:10px 12px;border-radius:8px;background:var(--raised);white-space:pre-wrap}
    """
}
