internal import CTapeline
internal import Synchronization
internal import TapelineSystem
internal import TapelineText

/// One question to the resolver.
package final class Lookup: Sendable {
  typealias Completion = (Result<[SocketAddress], LoopError>) -> Void

  let host: String
  private let port: UInt16
  private let completion: LoopBound<Completion>
  private let isCancelled = Atomic<Bool>(false)

  /// Enough for any name that serves connections.
  private static let addressLimit = 32

  init(host: String, port: UInt16, completion: LoopBound<Completion>) {
    self.host = host
    self.port = port
    self.completion = completion
  }

  /// Prevents the call of the completion. On the completion's loop only, so that no answer can slip past the cancellation.
  package func cancel() {
    completion.loop.preconditionCurrent()
    isCancelled.store(true, ordering: .relaxed)
  }

  /// Asks the system and waits for the answer. On a thread of the resolver.
  func perform() {
    guard !isCancelled.load(ordering: .relaxed) else { return }
    answer(resolve())
  }

  /// Sends the answer to the loop. From any thread.
  func answer(_ result: Result<[SocketAddress], LoopError>) {
    completion.loop.execute { [self] in
      guard !isCancelled.load(ordering: .relaxed) else { return }
      completion.value(result)
    }
  }

  private func resolve() -> Result<[SocketAddress], LoopError> {
    // C would end the name at a NUL and look up another name.
    guard !host.isEmpty, !host.utf8.contains(0) else {
      return .failure(failure(.nameNotFound, "not a host name"))
    }
    return unsafe withUnsafeTemporaryAllocation(of: tapeline_address.self, capacity: Self.addressLimit) { buffer in
      var isResolverCode = false
      let result = unsafe tapeline_resolve(
        host, port, !isLoopbackName, buffer.baseAddress, Int32(buffer.count), &isResolverCode)
      if result > 0 { return .success((0..<Int(result)).map { unsafe SocketAddress(buffer[$0]) }) }
      if result < 0, isResolverCode { return .failure(Self.failure(resolverCode: result, host: host)) }
      guard result < 0 else { return .failure(failure(.nameNotFound, "no address")) }
      return .failure(failure(.resolverFailure, SystemCallError.text(of: -result)))
    }
  }

  /// `localhost` and names below it (RFC 6761 6.3) must resolve on a machine without any network, so they are looked up without
  /// the filter by configured families, which ignores the loopback interface.
  private var isLoopbackName: Bool {
    Host(host).isLocalhost
  }

  private func failure(_ kind: LoopError.Kind, _ cause: String) -> LoopError {
    LoopError(kind, "look up \(host): \(cause)")
  }

  private static func failure(resolverCode code: Int32, host: String) -> LoopError {
    let cause = unsafe tapeline_resolver_error_text(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    let kind: LoopError.Kind = tapeline_is_name_not_found(code) ? .nameNotFound : .resolverFailure
    return LoopError(kind, "look up \(host): \(cause)")
  }
}
