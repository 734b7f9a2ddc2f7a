/// The structure that a value encodes as, before it becomes text.
enum FormComponent: Sendable {
  struct Member: Sendable {
    let name: String
    let value: FormComponent
  }

  case none
  case text(String)
  case array([FormComponent])
  /// In the order of encoding.
  case object([Member])
}

/// One place in a `FormComponent` while a value is being encoded. Containers keep the node and write into it.
final class FormNode {
  private enum Content {
    case nothing
    case none
    case text(String)
    case array([FormNode])
    case object([(name: String, node: FormNode)])
  }

  private var content = Content.nothing

  /// A place that nothing was written to is an object without members, like an encoded `struct Empty: Encodable`.
  var component: FormComponent {
    switch content {
    case .nothing: .object([])
    case .none: .none
    case .text(let text): .text(text)
    case .array(let nodes): .array(nodes.map(\.component))
    case .object(let members): .object(members.map { FormComponent.Member(name: $0.name, value: $0.node.component) })
    }
  }

  var elementCount: Int {
    if case .array(let nodes) = content { nodes.count } else { 0 }
  }

  func setNone() { content = .none }

  func set(_ text: String) { content = .text(text) }

  func beginArray() {
    if case .array = content { return }
    content = .array([])
  }

  func beginObject() {
    if case .object = content { return }
    content = .object([])
  }

  func appendElement() -> FormNode {
    var nodes: [FormNode] = []
    if case .array(let existing) = content { nodes = existing }
    let node = FormNode()
    content = .array(nodes + [node])
    return node
  }

  /// The place of a member: the same node on every call.
  func member(_ name: String) -> FormNode {
    var members: [(name: String, node: FormNode)] = []
    if case .object(let existing) = content { members = existing }
    if let existing = members.first(where: { $0.name == name }) { return existing.node }
    let node = FormNode()
    content = .object(members + [(name, node)])
    return node
  }
}
