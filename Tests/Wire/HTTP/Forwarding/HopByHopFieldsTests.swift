import Testing

@testable import TapelineHTTP

@Suite struct HopByHopFieldsTests {
  private func kept(_ fields: HeaderFields) -> [String] {
    let hopByHop = HopByHopFields(of: fields)
    return fields.indices.filter { !hopByHop.removes(fields, at: $0) }.map { fields.name(at: $0) }
  }

  @Test func theOnesDefinedSoEndHere() {
    #expect(
      kept([
        "Connection": "close", "Keep-Alive": "1", "Proxy-Connection": "x", "Proxy-Authenticate": "x", "Proxy-Authorization": "x",
        "TE": "trailers", "Upgrade": "h2c", "Trailer": "X", "Via": "1.1 b",
        "proxy-authentication-info": "rc=1", "Authentication-Info": "rc=1",
      ]) == ["Trailer", "Via", "Authentication-Info"])
  }

  @Test func theNamedOnesEndHereInAnyCaseOverSeveralLines() {
    #expect(
      kept([
        "Connection": "x-a , X-B", "X-A": "1", "x-b": "2", "X-C": "3", "connection": "x-c,,Cookie, keep-alive", "Cookie": "4",
        "X-AB": "5",
        "x-A": "6",
      ]) == ["X-AB"])
  }

  @Test func framingAndHostStayWhateverConnectionNames() {
    let fields: HeaderFields = [
      "Connection": "content-length, Transfer-Encoding, HOST", "Content-Length": "1", "Transfer-Encoding": "chunked", "Host": "a",
    ]
    #expect(kept(fields) == ["Content-Length", "Transfer-Encoding", "Host"])
  }

  @Test func whatIsNoNameNamesNothing() {
    #expect(kept(["Connection": "x y, \"X-Q\", close", "X": "1", "Close": "2", "X-Q": "3"]) == ["X", "Close", "X-Q"])
  }

  @Test func trailersAreJudgedByTheHead() {
    let hopByHop = HopByHopFields(of: ["Connection": "X-Sum"])
    let trailers: HeaderFields = ["x-sum": "1", "X-Other": "2"]
    #expect(hopByHop.removes(trailers, at: 0))
    #expect(!hopByHop.removes(trailers, at: 1))
  }
}
