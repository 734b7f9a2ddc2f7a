import Testing

@testable import TapelineLoop

struct ResolverTests {
  let loop: EventLoop
  let resolver: Resolver

  init() throws {
    loop = try EventLoop()
    resolver = try Resolver(threads: 2)
  }

  /// RFC 6761 6.3: names below `localhost` are the loopback, too, whatever a name server says.
  @Test(arguments: ["localhost", "app.localhost", "a.b.LocalHost.", "no-such-name.invalid.localhost"])
  func findsLocalhostOnTheLoop(name: String) throws {
    var answer: Result<[SocketAddress], LoopError>?
    let lookup = resolver.resolve(name, port: 8080, on: loop) { result in
      #expect(loop.isCurrent)
      answer = result
      loop.stop()
    }
    #expect(answer == nil)
    loop.serve()
    let addresses = try #require(answer).get()
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 8080 })
    lookup.cancel()
    resolver.shutdown()
  }

  @Test(arguments: ["name.invalid", "", "a\0b", "no spaces.invalid"])
  func saysWhichNameWasNotFound(_ name: String) throws {
    var failure: LoopError?
    let lookup = resolver.resolve(name, port: 80, on: loop) { result in
      if case .failure(let error) = result { failure = error }
      loop.stop()
    }
    loop.serve()
    let error = try #require(failure)
    // A machine without any name server cannot tell "no such name" from "nobody to ask".
    #expect(error.kind == .nameNotFound || error.kind == .resolverFailure)
    #expect(error.message.hasPrefix("look up \(name): "))
    withExtendedLifetime(lookup) {}
    resolver.shutdown()
  }

  @Test func aCancelledLookupIsSilent() throws {
    let cancelled = resolver.resolve("localhost", port: 80, on: loop) { _ in Issue.record("a cancelled lookup answered") }
    cancelled.cancel()
    cancelled.cancel()
    let last = resolver.resolve("localhost", port: 80, on: loop) { _ in loop.stop() }
    loop.serve()
    loop.settle()
    withExtendedLifetime(last) {}
    resolver.shutdown()
  }

  @Test func aFullOrClosedQueueIsAnAnswer() throws {
    resolver.shutdown()
    resolver.shutdown()
    var kind: LoopError.Kind?
    let lookup = resolver.resolve("localhost", port: 80, on: loop) { result in
      if case .failure(let error) = result { kind = error.kind }
      loop.stop()
    }
    #expect(kind == nil, "never inside the call")
    loop.serve()
    #expect(kind == .resolverBusy)
    withExtendedLifetime(lookup) {}
  }
}
