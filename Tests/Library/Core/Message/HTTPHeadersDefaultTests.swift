import Testing

@testable import TapelineCore

@Suite struct HTTPHeadersDefaultTests {
  @Test("Accept-Encoding names br, gzip and deflate with falling quality")
  func acceptEncoding() {
    #expect(HTTPHeader.defaultAcceptEncoding.description == "Accept-Encoding: br;q=1.0, gzip;q=0.9, deflate;q=0.8")
  }

  @Test("Accept-Language has up to six languages, quality falling by 0.1")
  func qualities() {
    #expect(
      HTTPHeader.qualityList(["a", "b", "c", "d", "e", "f", "g"])
        == "a;q=1.0, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5")
  }

  @Test(
    "Accept-Language has the environment's languages",
    arguments: [
      ([:], ["en"]), (["LANG": "C.UTF-8"], ["en"]), (["LANG": "de_CH.UTF-8@euro"], ["de-CH"]),
      (["LANGUAGE": "de_DE:fr:de_DE", "LANG": "en_US.UTF-8"], ["de-DE", "fr", "en-US"]),
      (["LC_ALL": "fr_FR", "LANG": "de_DE"], ["fr-FR"]), (["LC_ALL": "", "LC_MESSAGES": "sr_RS@latin"], ["sr-RS"]),
      (["LANG": "x\r\nHost: y"], ["en"]),
    ])
  func languages(environment: [String: String], tags: [String]) {
    #expect(HTTPHeader.preferredLanguages(in: environment) == tags)
  }

  @Test("User-Agent names program, system and library")
  func userAgent() {
    let value = HTTPHeader.defaultUserAgent.value
    #expect(value.contains("/Unknown (Unknown; build:Unknown; Linux "))
    #expect(value.hasSuffix(") Tapeline/1"))
    #expect(HTTPHeader.defaultUserAgent.isSendable)
  }

  @Test func defaultsAreSendableAndDoNotAskForWhatNobodyDecodes() {
    #expect(HTTPHeaders.default.map(\.name) == ["Accept-Language", "User-Agent"])
    #expect(HTTPHeaders.default.allSatisfy { $0.isSendable })
  }
}
