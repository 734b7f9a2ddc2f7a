internal import TapelineTLS

/// All the variables of a program whose traffic is to be recorded: the same for the child of `run` and the shell of `env`.
struct CaptureEnvironment {
  let assignments: [(name: String, value: String)]

  static let controlName = "TAPELINE_CONTROL"

  /// - Parameters:
  ///   - credentials: the credentials that the proxy asks for, if it does. Java programs do not get them: Java would print them.
  ///   - trust: absent where HTTPS is not decrypted.
  ///   - nodeScript: the script that Node.js programs load first; absent where there is no place for it.
  ///   - current: the variables as they are without us.
  init(
    endpoint: EndpointArgument, credentials: CredentialPair? = nil, controlPath: String?, trust: ClientTrust?,
    nodeScript: NodeScript?, current: [String: String]
  ) {
    var assignments = ProxyEnvironment(endpoint: endpoint, credentials: credentials, current: current).assignments
    if let trust { assignments += TrustEnvironment(files: trust.files).assignments }
    // From version 24 on (22.21), Node.js honours the other variables if this one is set; the script does the rest.
    assignments.append((name: "NODE_USE_ENV_PROXY", value: "1"))
    if let nodeScript {
      let options = NodeEnvironment.options(script: nodeScript, inherited: current[NodeEnvironment.variable])
      assignments.append((name: NodeEnvironment.variable, value: options))
    }
    if JavaInstallation(environment: current) != nil {
      let options = JavaEnvironment.options(
        endpoint: endpoint, trustStore: trust?.javaStore, inherited: current[JavaEnvironment.variable])
      assignments.append((name: JavaEnvironment.variable, value: options))
    }
    if let controlPath { assignments.append((name: Self.controlName, value: controlPath)) }
    self.assignments = assignments
  }
}
