@testable import TapelineLive
import Testing

@Suite("Formats of the environment")
struct EnvironmentFormatTests {
  private static let variables = [
    (name: "HTTP_PROXY", value: "http://127.0.0.1:80"), (name: "FILE", value: "/a'b\"c$d\\e\u{1B}é"),
  ]

  private func text(_ format: EnvironmentFormat, files: [String] = []) -> String {
    format.lines(Self.variables, files: files, needsHostNetwork: true).joined(separator: "\n")
  }

  @Test("Each format sets the variables in its own words")
  func formats() {
    #expect(text(.sh).hasPrefix("export HTTP_PROXY=http://127.0.0.1:80\nexport FILE="))
    #expect(text(.fish).hasPrefix("set -gx HTTP_PROXY http://127.0.0.1:80\nset -gx FILE "))
    #expect(
      text(.powershell)
        == "$env:HTTP_PROXY = 'http://127.0.0.1:80'\n$env:FILE = ('/a''b\"c$d\\e'+[char]0x1b+''+[char]0xe9+'')")
    #expect(text(.docker) == "HTTP_PROXY=http://127.0.0.1:80")
    #expect(text(.json) == "{\n  \"HTTP_PROXY\": \"http://127.0.0.1:80\",\n  \"FILE\": \"/a'b\\\"c$d\\\\e\\u001b\\u00e9\"\n}")
    #expect(
      text(.compose, files: ["/ca.pem"])
        == """
        environment:
          HTTP_PROXY: "http://127.0.0.1:80"
          FILE: "/a'b\\"c$$d\\\\e\\u001b\\u00e9"
        volumes:
          - "/ca.pem:/ca.pem:ro"
        network_mode: host
        """)
  }

  @Test("No format writes a character that drives a terminal", arguments: EnvironmentFormat.allCases)
  func terminal(format: EnvironmentFormat) {
    #expect(!text(format).unicodeScalars.contains("\u{1B}"))
  }

  @Test("Programs that speak no HTTP to proxies get SOCKS, if they are asked for, and names are looked up by the proxy")
  func socks() {
    let environment = CaptureEnvironment(
      endpoint: .loopback(port: 80), controlPath: nil, trust: nil, nodeScript: nil, usesSOCKS: true, current: [:])
    let values = Dictionary(uniqueKeysWithValues: environment.assignments.map { ($0.name, $0.value) })
    #expect(values["ALL_PROXY"] == "socks5h://127.0.0.1:80" && values["all_proxy"] == "socks5h://127.0.0.1:80")
    #expect(values["HTTPS_PROXY"] == "http://127.0.0.1:80")
  }

  @Test("A container gets no variable that names a file of the host's, but for the bundle")
  func containers() {
    let files = TrustFiles(bundle: "/d/ca-bundle.pem", wgetrc: "/d/wgetrc")
    let environment = CaptureEnvironment(
      endpoint: .loopback(port: 80), controlPath: "/c.sock", trust: TrustMaterial(files: files, javaStore: nil),
      nodeScript: NodeScript(path: "/d/n.cjs"), current: [:])
    let names = environment.assignmentsForContainers.map(\.name)
    #expect(names.contains("HTTPS_PROXY") && names.contains("SSL_CERT_FILE"))
    #expect(!names.contains("WGETRC") && !names.contains("NODE_OPTIONS") && !names.contains("TAPELINE_CONTROL"))
  }
}
