/// Carries a value that belongs to a loop through code that does not: any thread may hold it, only the loop may open it.
///
/// Safety: `@unchecked Sendable` because only two paths reach the value: `value`, which checks that the caller is on the loop,
/// and the last holder, which has the loop empty the box, so that the value is released on the loop as well.
package final class LoopBound<Value>: @unchecked Sendable {
  /// Safety: only the loop touches `content`. References to the box may be dropped on any thread; that is the purpose of the box.
  private final class Box: @unchecked Sendable {
    var content: Value?

    init(_ content: Value) {
      self.content = content
    }
  }

  package let loop: EventLoop
  private let box: Box

  /// On any thread that may hold `value` at this moment.
  package init(_ value: Value, on loop: EventLoop) {
    box = Box(value)
    self.loop = loop
  }

  /// On the loop only.
  package var value: Value {
    loop.preconditionCurrent()
    guard let content = box.content else {
      preconditionFailure("a box was opened after its last holder had let go")
    }
    return content
  }

  deinit {
    guard !loop.allowsEnding else { return }
    loop.execute { [box] in box.content = nil }
  }
}
