import TapelineLoop
import TapelineSystem
import Testing

@testable import TapelineProxy

@Suite("Which program a client is")
struct ClientProgramTests {
  private func program(_ command: String, environment: [String] = [], executable: String? = nil) -> ClientProgram {
    let words = command.split(separator: " ").map(String.init)
    return ClientProgram(
      executable: executable ?? "/usr/bin/\(words[0])", arguments: words, environment: environment,
      trustVariables: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
  }

  @Test(
    "Two runs of one program are one client",
    arguments: [
      ("curl https://h/a", "curl -sS -o out https://h/b?c=d"), ("gh api /a", "gh pr list"),
      ("curl --cacert own.pem https://h/a", "curl -v https://h/b --cacert own.pem"),
      ("python3 gcloud.py a", "python3 gcloud.py b --format=json"), ("python3.11 -m tool a", "python3.11 -m tool b"),
      ("java -cp x.jar Main a", "java -cp x.jar Main b"), ("node app.js", "node app.js --port 1"),
      ("curl -H Accept:x https://h/cert/insecure", "curl https://h/"),
    ])
  func same(first: String, second: String) {
    #expect(program(first) == program(second))
  }

  @Test(
    "What runs other code, or is told otherwise whom to trust, is another client",
    arguments: [
      ("curl https://h/", "wget https://h/"), ("curl https://h/", "curl --cacert own.pem https://h/"),
      ("curl --cacert a.pem https://h/", "curl --cacert b.pem https://h/"), ("curl https://h/", "curl -k https://h/"),
      ("curl https://h/", "curl -sk https://h/"), ("curl https://h/", "curl --capath=/x https://h/"),
      ("git clone https://h/", "git -c http.sslCAInfo=x clone https://h/"),
      ("wget https://h/", "wget --no-check-certificate https://h/"), ("wget https://h/", "wget --ca-certificate=x https://h/"),
      ("openssl s_client -connect h:1", "openssl s_client -connect h:1 -CAfile x"),
      ("python3 a.py", "python3 b.py"), ("python3 -c one", "python3 -c two"), ("python3 -Bc one", "python3 -Bc two"),
      ("node -e one", "node -e two"), ("java -jar a.jar", "java -jar b.jar"), ("sh a.sh", "sh b.sh"),
      ("python3 a.py --cert own", "python3 a.py"),
    ])
  func different(first: String, second: String) {
    #expect(program(first) != program(second))
  }

  @Test("The variables that say whom to trust count, in any order, and no others")
  func variables() {
    let trusting = program("curl h", environment: ["A=1", "SSL_CERT_FILE=/x", "CURL_CA_BUNDLE=/y"])
    #expect(trusting == program("curl h", environment: ["CURL_CA_BUNDLE=/y", "B=2", "SSL_CERT_FILE=/x"]))
    #expect(trusting != program("curl h"))
    #expect(trusting != program("curl h", environment: ["SSL_CERT_FILE=/z", "CURL_CA_BUNDLE=/y"]))
    #expect(program("curl h") == program("curl h", environment: ["NOT_SSL_CERT_FILE=1", "SSL_CERT_FILES", ""]))
  }

  @Test(
    "It is called by its script, or by its executable",
    arguments: [
      ("curl https://h/", "curl"), ("python3 -u /opt/tool/pinned.py x", "pinned.py"), ("python3 -c code", "python3"),
      ("python3 -m pip install", "pip"), ("java -jar /opt/x.jar", "x.jar"), ("python3", "python3"),
      ("bash -x ./run.sh", "run.sh"),
    ])
  func names(command: String, name: String) {
    #expect(program(command).name == name)
  }

  @Test(
    "No command line is too odd",
    arguments: ["", "-", "-c", "python3 -c", "python3 -m", "curl --cacert", "python3 - - -", "java -cp"])
  func odd(command: String) {
    let words = command.split(separator: " ").map(String.init)
    for executable in ["", "/", "/usr/bin/python3", "/usr/bin/curl (deleted)"] {
      let program = ClientProgram(executable: executable, arguments: words, environment: ["", "="], trustVariables: [""])
      #expect(program == program)
      #expect(program.name.count <= 64)
    }
  }

  @Test("A process is read as it runs")
  func process() throws {
    let own = try #require(RunningProcess(id: CurrentProcess.id))
    let program = try #require(ClientProgram(own, trustVariables: []))
    #expect(own.executable?.hasSuffix(program.name) == true)
    #expect(ClientProgram(own, trustVariables: ["PATH"]) != program)
  }
}
