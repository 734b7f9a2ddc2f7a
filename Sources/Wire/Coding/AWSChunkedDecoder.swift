internal import TapelineBase

/// Takes apart the chunks of S3 uploads: a size in hexadecimal, `;chunk-signature=…`, CR LF, that number of bytes, CR LF.
/// The last chunk is empty and may have trailers.
enum AWSChunkedDecoder {
  /// A longer first line is not that of a chunk.
  private static let longestLine = 1024

  static func decode(_ input: Span<UInt8>, limit: Int) -> DecodingStep {
    var step = DecodingStep()
    var place = 0
    while place < input.count {
      guard let (size, start) = head(in: input, from: place) else {
        if place == 0 {
          step.bytes = input.extracting(first: limit).indices.map { input[$0] }
          step.end = step.bytes.count == input.count ? .complete : .limitReached
          return step
        }
        // A size that was cut off has no meaning.
        step.end = input.count - place < 20 ? .inputEnded : .wrong("no size of a chunk")
        return step
      }
      if size == 0 {
        step.end = .complete
        return step
      }
      let end = min(input.count, start + min(size, input.count))
      let taken = min(end - start, limit - step.bytes.count)
      for index in start..<start + taken { step.bytes.append(input[index]) }
      if taken < end - start {
        step.end = .limitReached
        return step
      }
      place = end + 2
    }
    return step
  }

  /// The size of a chunk, and the index where its bytes begin.
  private static func head(in input: Span<UInt8>, from start: Int) -> (size: Int, contentStart: Int)? {
    var size = 0
    var place = start
    while place < input.count, let digit = Hexadecimal.value(of: input[place]) {
      guard size < 1 << 40 else { return nil }
      size = size << 4 | Int(digit)
      place += 1
    }
    guard place > start else { return nil }
    let limit = min(input.count, start + longestLine)
    guard place < limit, input[place] == UInt8(ascii: ";") || input[place] == 0x0D || input[place] == 0x0A else { return nil }
    while place < limit, input[place] != 0x0A { place += 1 }
    return place < limit ? (size, place + 1) : nil
  }
}
