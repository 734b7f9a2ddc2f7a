internal import TapelineLoop
internal import TapelineTransport

/// The proxy that the environment names, by which a command would have reached servers without us: so do we, for it.
///
/// There can be one. Where HTTP and HTTPS have different ones, that for HTTPS carries both. Where only one of them has one, the other's standard
/// port is an exception.
struct InheritedProxy {
  /// What becomes of it.
  enum Use {
    /// By `run`, whose command it was meant for.
    case followed
    /// By `record`, a server that serves others than the shell it was started from.
    case mentioned
    /// Where nothing is reached at all.
    case ignored
  }

  /// `nil` when servers are reached directly.
  let proxy: UpstreamProxy?
  /// What is to be said of it, a line each. No line shows credentials.
  let notes: [String]
  /// What somebody who does not follow it says.
  let mention: String?

  /// - Parameter listeners: where we listen ourselves. Who names one of these means us, and reaches servers directly.
  init(environment: [String: String], besides listeners: [SocketAddress] = []) {
    let exceptions = Exceptions(environment)
    let secure = Named(first: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], in: environment, besides: listeners)
    let clear = Named(first: ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"], in: environment, besides: listeners)
    guard let chosen = secure.usable ?? clear.usable else {
      proxy = nil
      notes = Self.refusals(secure, clear)
      mention = nil
      return
    }
    var text = "servers are reached through \(chosen.proxy), as \(chosen.name) says"
    var list = exceptions.list
    if let variable = exceptions.variable { text += ", but for those in \(variable)" }
    switch (clear.usable, secure.usable) {
    case (nil, _?):
      list.append("*:80")
      text += " and port 80, because the variables name no proxy for HTTP"
    case (_?, nil):
      list.append("*:443")
      text += " and port 443, because the variables name no proxy for HTTPS"
    case (let clear?, _?) where clear.proxy != chosen.proxy:
      text += "; so is HTTP, for which \(clear.name) names another, as there can be one"
    case (nil, nil), (_?, _?): break
    }
    proxy = UpstreamProxy(
      host: chosen.proxy.host, port: chosen.proxy.port, credential: chosen.proxy.credential,
      exceptions: Exceptions.parsed(list.joined(separator: ",")))
    notes = ["\(text); --upstream-proxy none reaches them directly"] + exceptions.complaints + Self.refusals(secure, clear)
    mention =
      "servers are reached directly, and not through \(chosen.proxy), as \(chosen.name) says: that is for clients; "
      + "--upstream-proxy \"$\(chosen.name)\" goes there"
  }

  private static func refusals(_ secure: Named, _ clear: Named) -> [String] {
    [secure.refusal, clear.refusal == secure.refusal ? nil : clear.refusal].compactMap(\.self)
  }
}

/// What one of several variables names, the first that says anything.
private enum Named {
  case nothing
  case proxy(name: String, UpstreamProxy)
  case unusable(name: String, why: String)

  init(first names: [String], in environment: [String: String], besides listeners: [SocketAddress]) {
    guard let name = names.first(where: { environment[$0]?.isEmpty == false }), let text = environment[name] else {
      self = .nothing
      return
    }
    do throws(UpstreamProxyError) {
      let proxy = try UpstreamProxy(parsing: text)
      self = listeners.contains(where: proxy.isReached) ? .nothing : .proxy(name: name, proxy)
    } catch {
      self = .unusable(name: name, why: error.description)
    }
  }

  var usable: (name: String, proxy: UpstreamProxy)? {
    switch self {
    case .proxy(let name, let proxy): (name, proxy)
    case .nothing, .unusable: nil
    }
  }

  var refusal: String? {
    switch self {
    case .nothing, .proxy: nil
    case .unusable(let name, let why):
      "\(name): \(why), and is not used; name one that speaks HTTP with --upstream-proxy, or none with --upstream-proxy none"
    }
  }
}

/// `NO_PROXY`, of which everybody has an own idea: what we do not understand is said, and no reason to stop.
private struct Exceptions {
  /// The variable that says any.
  private(set) var variable: String?
  private(set) var list: [String] = []
  private(set) var complaints: [String] = []

  init(_ environment: [String: String]) {
    guard let name = ["no_proxy", "NO_PROXY"].first(where: { environment[$0]?.isEmpty == false }), let text = environment[name]
    else {
      return
    }
    for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(String.init) {
      do throws(UpstreamProxyError) {
        _ = try ProxyExceptions(parsing: word)
        list.append(word)
      } catch {
        complaints.append("\(name): \(error), and excepts nothing; write it as --upstream-proxy-except has it")
      }
    }
    if !list.isEmpty { variable = name }
  }

  /// Of members that have been understood one by one.
  static func parsed(_ list: String) -> ProxyExceptions {
    do throws(UpstreamProxyError) {
      return try ProxyExceptions(parsing: list)
    } catch {
      preconditionFailure("members that are exceptions each are exceptions together")
    }
  }
}
