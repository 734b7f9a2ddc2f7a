import Synchronization
import Testing

@testable import TapelineTLS

@Suite("Leaf certificate cache")
struct LeafCertificateCacheTests {
  private static let start: Int64 = 1_795_266_801

  /// Moved by hand.
  private final class Clock: Sendable {
    let seconds = Mutex(start)
  }

  private let clock = Clock()
  private let authority: CertificateAuthority

  init() throws {
    authority = try .make(commonName: "test", validity: (Self.start - 3_600)...(Self.start + 40 * 86_400))
  }

  private func cache(capacity: Int = 1_000) throws -> LeafCertificateCache {
    try LeafCertificateCache(authority: authority, capacity: capacity) { [clock] in clock.seconds.withLock { $0 } }
  }

  @Test("A leaf is made once, whatever the spelling, and what it cost is told once")
  func once() throws {
    let cache = try cache()
    let first = try cache.credentials(for: "example.test")
    let second = try cache.credentials(for: "Example.TEST.")
    #expect(first.credentials === second.credentials)
    #expect(try #require(first.mintingNanoseconds) > 0)
    #expect(second.mintingNanoseconds == nil)
    #expect(
      verification(
        of: first.credentials.leaf, under: authority.certificate.handle, for: "example.test", at: Self.start) == "ok")
  }

  @Test("All leaves have the key whose pin is told")
  func oneKey() throws {
    let cache = try cache()
    let keys = try ["a.test", "127.0.0.1", "::1"].map { try cache.credentials(for: $0).credentials.leaf.publicKeyInfo }
    #expect(Set(keys).count == 1)
    #expect(cache.leafKeyPin == keys.first.map { KeyIdentifier.pin(of: $0) })
    #expect(try self.cache().leafKeyPin != cache.leafKeyPin)
  }

  @Test("Clients get the root as well, so that its pin is seen")
  func chain() throws {
    let credentials = try cache().credentials(for: "a.test").credentials
    unsafe credentials.withUnsafeHandles { _, _, chain in
      #expect(unsafe chain == [authority.certificate.handle.pointer])
    }
  }

  @Test("Of more hosts than there is room for, the least recently used go")
  func bounded() throws {
    let cache = try cache(capacity: 3)
    for host in ["a", "b", "c", "a", "d"] {
      _ = try cache.credentials(for: host)
    }
    #expect(cache.count == 3)
    #expect(try cache.credentials(for: "a").mintingNanoseconds == nil)
    #expect(try cache.credentials(for: "b").mintingNanoseconds != nil)
    #expect(try cache.credentials(for: "c").mintingNanoseconds != nil)
  }

  @Test("A leaf is renewed a day before it ends")
  func renewal() throws {
    let cache = try cache()
    let first = try cache.credentials(for: "a").credentials
    clock.seconds.withLock { $0 += 29 * 86_400 - 1 }
    #expect(try cache.credentials(for: "a").credentials === first)
    clock.seconds.withLock { $0 += 1 }
    let second = try cache.credentials(for: "a").credentials
    #expect(second !== first)
    // The second ends with the authority, not after it.
    #expect(second.leaf.notAfter == Self.start + 40 * 86_400)
  }

  @Test("An authority that has ended in the meantime signs no more")
  func expired() throws {
    let cache = try cache()
    clock.seconds.withLock { $0 += 41 * 86_400 }
    let error = #expect(throws: AuthorityError.self) { try cache.credentials(for: "a") }
    #expect(error?.kind == .expired)
  }

  @Test("What is no host name gets nothing, and is not kept")
  func refused() throws {
    let cache = try cache()
    let error = #expect(throws: AuthorityError.self) { try cache.credentials(for: "*.example.test") }
    #expect(error?.kind == .hostName)
    #expect(cache.count == 0)
  }

  @Test("Loops that ask at the same time get leaves that fit, and at the end one")
  func race() async throws {
    let cache = try cache(capacity: 8)
    let root = authority.certificate.handle
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<64 {
        group.addTask {
          let host = "host-\(index % 16).test"
          guard let leaf = try? cache.credentials(for: host).credentials.leaf else { return false }
          return verification(of: leaf, under: root, for: host, at: Self.start) == "ok"
        }
      }
      for await isGood in group {
        #expect(isGood)
      }
    }
    #expect(cache.count == 8)
    #expect(try cache.credentials(for: "x").credentials === cache.credentials(for: "x").credentials)
  }
}
