@testable import TapelineLive
import Testing

@Suite("Capture environment")
struct CaptureEnvironmentTests {
  private func variables(
    control: String? = nil, trust: TrustMaterial? = nil, script: NodeScript? = nil, current: [String: String] = [:]
  ) -> [String: String] {
    let environment = CaptureEnvironment(
      endpoint: .loopback(port: 80), controlPath: control, trust: trust, nodeScript: script, current: current)
    return Dictionary(uniqueKeysWithValues: environment.assignments.map { ($0.name, $0.value) })
  }

  @Test("The proxy, Node.js, and the control socket")
  func plain() {
    let variables = variables(control: "/c.sock")
    #expect(variables["https_proxy"] == "http://127.0.0.1:80")
    #expect(variables["NODE_USE_ENV_PROXY"] == "1")
    #expect(variables["TAPELINE_CONTROL"] == "/c.sock")
    #expect(variables["SSL_CERT_FILE"] == nil)
    #expect(variables["JAVA_TOOL_OPTIONS"] == nil)
    #expect(variables["NODE_OPTIONS"] == nil)
    #expect(variables["TAPELINE_PROXY"] == "http://127.0.0.1:80")
  }

  @Test("Node.js loads the script after what it was told to load")
  func nodeScript() {
    let variables = variables(script: NodeScript(path: "/d/tapeline-node.cjs"), current: ["NODE_OPTIONS": "--inspect"])
    #expect(variables["NODE_OPTIONS"] == "--inspect --require /d/tapeline-node.cjs")
  }

  @Test("Every variable for authorities names the bundle")
  func trust() {
    let files = TrustFiles(bundle: "/d/ca-bundle.pem", wgetrc: "/d/wgetrc", phpDirectories: ":/d/php")
    let variables = variables(trust: TrustMaterial(files: files, javaStore: nil, keyPin: "pin="))
    for name in [
      "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO",
      "AWS_CA_BUNDLE", "PIP_CERT", "DENO_CERT", "PERL_LWP_SSL_CA_FILE", "NIX_SSL_CERT_FILE",
      "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    ] {
      #expect(variables[name] == "/d/ca-bundle.pem")
    }
    #expect(variables["WGETRC"] == "/d/wgetrc")
    #expect(variables["PHP_INI_SCAN_DIR"] == ":/d/php")
    #expect(variables["TAPELINE_CHROMIUM_FLAGS"]?.hasSuffix(" --ignore-certificate-errors-spki-list=pin=") == true)
  }

  @Test("Chromium's options name the proxy, for this machine too, and no authority where nothing is decrypted")
  func chromium() {
    #expect(
      variables()["TAPELINE_CHROMIUM_FLAGS"] == "--proxy-server=http://127.0.0.1:80 --proxy-bypass-list=<-loopback>")
  }
}
