public import FoundationEssentials
public import TapelineTransport

extension SessionConfiguration {
  /// The proxy that the environment names, for `upstreamProxy`. A session does not look there by itself: by default it reaches
  /// every server directly, whatever the variables say.
  ///
  /// `https_proxy`, `http_proxy` and `all_proxy` are read, in lower case or in capitals; `no_proxy` names the exceptions. A
  /// session has one proxy: if the variables name two, the one for HTTPS carries both; if they name one for HTTP or HTTPS
  /// alone, the other's standard port is an exception. `HTTP_PROXY` in capitals is passed over in a CGI program, where a
  /// client's `Proxy` field sets it.
  ///
  /// - Parameter environment: the variables; by default the process's own.
  /// - Returns: `nil` if no variable names a proxy.
  /// - Throws: if a variable names one that a session cannot use, such as one that requires TLS.
  public static func proxyFromEnvironment(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(UpstreamProxyError) -> UpstreamProxy? {
    func first(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let isCGI = environment["REQUEST_METHOD"] != nil
    let all = first("all_proxy", "ALL_PROXY")
    let secure = first("https_proxy", "HTTPS_PROXY") ?? all
    let clear = first("http_proxy", isCGI ? "http_proxy" : "HTTP_PROXY") ?? all
    guard let chosen = secure ?? clear else { return nil }
    var exceptions = first("no_proxy", "NO_PROXY").map { [$0] } ?? []
    if clear == nil { exceptions.append("*:80") }
    if secure == nil { exceptions.append("*:443") }
    return try UpstreamProxy(parsing: chosen, exceptions: exceptions.joined(separator: ","))
  }
}
