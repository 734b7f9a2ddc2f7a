import TapelineTestSupport
import Testing

@testable import TapelineCoding

struct ContentDecoderTests {
  private let decoder = ContentDecoder()

  private func decode(_ bytes: [UInt8], _ codings: [ContentCoding], limit: Int = 1 << 20) throws -> (
    text: String, isPartial: Bool
  ) {
    let output = try decoder.decode(bytes, codings, limit: limit)
    return (String(decoding: output.bytes, as: UTF8.self), output.isPartial)
  }

  @Test(
    arguments: [
      (CodedText.gzip, [.gzip]), (CodedText.zlib, [.deflate]), (CodedText.rawDeflate, [.deflate]), (CodedText.brotli, [.brotli]),
      (CodedText.zstandard, [.zstandard]), (CodedText.gzipAndBrotli, [.gzip, .brotli]),
    ] as [([UInt8], [ContentCoding])])
  func everyCoding(bytes: [UInt8], codings: [ContentCoding]) throws {
    // Twice: the decoders are used again.
    for _ in 0..<2 {
      let (text, isPartial) = try decode(bytes, codings)
      #expect(text == CodedText.text)
      #expect(!isPartial)
    }
  }

  /// At a cut, the output is that of the input before it: a decoder tells what a stream's pieces completed.
  @Test(
    arguments: [
      (CodedText.gzip + CodedText.gzip, [.gzip]), (CodedText.zlib, [.deflate]), (CodedText.rawDeflate, [.deflate]),
      (CodedText.brotli, [.brotli]), (CodedText.zstandard + CodedText.zstandard, [.zstandard]),
      (CodedText.gzipAndBrotli, [.gzip, .brotli]),
    ] as [([UInt8], [ContentCoding])])
  func everyCut(bytes: [UInt8], codings: [ContentCoding]) {
    // The first two bytes tell whether deflate is in the zlib format.
    let cuts = Array(2...bytes.count)
    let output = decoder.decodeAsFarAsItGoes(bytes, codings, limit: 1 << 20, cuts: cuts).output
    let alone = cuts.map { decoder.decodeAsFarAsItGoes(Array(bytes[..<$0]), codings, limit: 1 << 20).output.bytes.count }
    #expect(output.ends.count == cuts.count && output.ends.last == output.bytes.count)
    #expect(output.ends == alone)
    let some = decoder.decodeAsFarAsItGoes(bytes, codings, limit: 1 << 20, cuts: [0, 7, 7, bytes.count + 9]).output
    #expect(some.ends == [0, alone[5], alone[5], output.bytes.count] && some.bytes == output.bytes)
  }

  @Test func membersAndFramesFollowEachOther() throws {
    #expect(try decode(CodedText.gzip + CodedText.gzip, [.gzip]).text == CodedText.text + CodedText.text)
    #expect(try decode(CodedText.gzip + Array("garbage".utf8), [.gzip]).text == CodedText.text)
    #expect(try decode(CodedText.zstandard + CodedText.zstandard, [.zstandard]).text == CodedText.text + CodedText.text)
  }

  @Test(
    arguments: [
      (CodedText.gzip, .gzip), (CodedText.zlib, .deflate), (CodedText.rawDeflate, .deflate), (CodedText.brotli, .brotli),
      (CodedText.zstandard, .zstandard),
    ] as [([UInt8], ContentCoding)])
  func everyBeginningIsDecodedAsFarAsItGoes(bytes: [UInt8], coding: ContentCoding) throws {
    for count in 0..<bytes.count {
      let output = try decoder.decode(Array(bytes.prefix(count)), [coding], limit: 1 << 20)
      #expect(CodedText.text.utf8.starts(with: output.bytes))
      #expect(output.isPartial)
    }
  }

  @Test(
    arguments: [
      ([0x1F, 0x8B, 0xFF, 0, 1, 2, 3, 4, 5, 6, 7, 8], .gzip), (Array("plain".utf8), .gzip),
      ([0x78, 0x9C, 0xFF, 0xFF, 0xFF], .deflate),
      ([UInt8](repeating: 0xFF, count: 20), .brotli), (Array("plain text".utf8), .zstandard),
      (CodedText.wideZstandard, .zstandard),
    ] as [([UInt8], ContentCoding)])
  func wrongDataIsAnError(bytes: [UInt8], coding: ContentCoding) {
    do throws(DecodingError) {
      let output = try decoder.decode(bytes, [coding], limit: 1 << 20)
      Issue.record("decoded \(bytes) as \(coding): \(output)")
    } catch {
      guard case .wrongData(coding, let reason) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(!reason.isEmpty)
      #expect(error.text.hasPrefix("\(coding.name): "))
    }
  }

  @Test(
    arguments: [
      (CodedText.brotliBomb, [.brotli]), (CodedText.zstandardBomb, [.zstandard]), (CodedText.doubleBomb, [.gzip, .brotli]),
    ]
      as [([UInt8], [ContentCoding])])
  func aBombEndsAtTheLimit(bytes: [UInt8], codings: [ContentCoding]) throws {
    let output = try decoder.decode(bytes, codings, limit: 100_000)
    #expect(output.bytes.count == 100_000)
    #expect(output.isPartial)
  }

  @Test func theLimitItselfIsAllowed() throws {
    #expect(try decoder.decode(CodedText.brotliBomb, [.brotli], limit: 1 << 20).isPartial == false)
    #expect(try decoder.decode(CodedText.gzip, [.gzip], limit: 36).isPartial == false)
    #expect(try decoder.decode(CodedText.gzip, [.gzip], limit: 35).bytes.count == 35)
  }

  /// Bytes that no program made, in every coding: an error or a beginning, and nothing else.
  @Test func noiseHarmsNothing() {
    var random = SystemRandomNumberGenerator()
    for seed in 0..<2_000 {
      var bytes = [CodedText.gzip, CodedText.zlib, CodedText.brotli, CodedText.zstandard][seed % 4]
      for _ in 0...seed % 3 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      for coding in [ContentCoding.gzip, .deflate, .brotli, .zstandard] {
        do throws(DecodingError) {
          let output = try decoder.decode(bytes, [coding], limit: 10_000)
          #expect(output.bytes.count <= 10_000)
        } catch {
          #expect(!error.text.isEmpty)
        }
      }
    }
  }
}
