import TapelineHTTP2
import Testing

@testable import TapelineTransport

/// The content of a request on its way into frames.
@Suite("The content of a request in HTTP/2")
struct RequestContentTests {
  private static func text(_ content: HTTP2Content) -> String {
    switch content {
    case .bytes(let bytes, let isLast): "\(bytes)\(isLast ? " last" : "")"
    case .later: "later"
    case .end: "end"
    case .trailers(let list): "trailers \(list.count)"
    }
  }

  @Test("Pieces are cut to the frame, and the next is wanted when one is used up")
  func pieces() {
    var content = RequestContent(isEmpty: false)
    #expect(content.isWanted && Self.text(content.pull(2)) == "later")
    content.put([1, 2, 3], isLast: false)
    #expect(Self.text(content.pull(2)) == "[1, 2]" && !content.isWanted && content.waitingBytes == 1)
    #expect(Self.text(content.pull(2)) == "[3]" && content.isWanted)
    #expect(content.takeUntold() == 3 && content.takeUntold() == 0)
    content.postpone()
    #expect(content.isLater && Self.text(content.pull(2)) == "later")
    content.put([4], isLast: true)
    #expect(Self.text(content.pull(2)) == "[4] last" && !content.isPending && !content.isWanted)
  }

  @Test("The end comes alone, with trailers, or with the piece before it")
  func ends() {
    var alone = RequestContent(isEmpty: false)
    alone.end(trailers: nil)
    #expect(alone.isPending && Self.text(alone.pull(1)) == "end" && Self.text(alone.pull(1)) == "later")
    var trailing = RequestContent(isEmpty: false)
    trailing.end(trailers: HTTP2HeaderList([("a", "b")]))
    #expect(Self.text(trailing.pull(1)) == "trailers 1")
    var stream = RequestContent(isEmpty: false)
    let bytes: [UInt8] = [1, 2]
    stream.append(bytes.span)
    stream.append(bytes.span)
    stream.end(trailers: nil)
    #expect(Self.text(stream.pull(9)) == "[1, 2, 1, 2] last")
  }

  @Test("What was taken can be given back until there is too much of it, or a response has begun")
  func repeats() {
    var content = RequestContent(isEmpty: false)
    content.put([1, 2], isLast: false)
    _ = content.pull(9)
    #expect(content.takeUntold() == 2)
    content.put([3], isLast: true)
    #expect(content.isRepeatable)
    var gathered = GatheredBody()
    content.putBack(into: &gathered)
    #expect(gathered.take(atMost: 9) == [1, 2, 3] && gathered.isWhole)
    #expect(gathered.countNew(of: 3) == 1)

    var large = RequestContent(isEmpty: false)
    large.put([UInt8](repeating: 0, count: 64 * 1024), isLast: false)
    #expect(large.isRepeatable)
    large.put([0], isLast: false)
    #expect(!large.isRepeatable)

    content.forget()
    #expect(!content.isRepeatable)
  }
}
