import TapelineBase
import Testing

@Suite("A dictionary with a bound")
struct BoundedTableTests {
  @Test("The least recently set or used entry is forgotten; reading is no use")
  func order() {
    var table = BoundedTable<String, Int>(limit: 3)
    table["a"] = 1
    table["b"] = 2
    table["c"] = 3
    table["a"] = 4
    #expect(table["b"] == 2)
    table["d"] = 5
    #expect(keys(table) == ["c", "a", "d"])
    let used = table.use("c") { value in
      value += 10
      return value
    }
    #expect(used == 13)
    table["e"] = 6
    #expect(keys(table) == ["d", "c", "e"])
    #expect(table["c"] == 13)
    let missing = table.use("a") { $0 }
    #expect(missing == nil)
    #expect(table.count == 3)
  }

  @Test("A removed entry leaves its room to others")
  func removal() {
    var table = BoundedTable<String, Int>(limit: 2)
    table["a"] = 1
    table["b"] = 2
    table["a"] = nil
    table["a"] = nil
    table["c"] = 3
    #expect(keys(table) == ["b", "c"])
    table.removeAll { _, value in value == 2 }
    table["d"] = 4
    #expect(keys(table) == ["c", "d"])
    table.removeAll { _, _ in true }
    #expect(table.count == 0)
    table["e"] = 5
    #expect(keys(table) == ["e"])
  }

  @Test("It behaves like a list in the order of use, whatever is done", arguments: 1...5)
  func model(limit: Int) {
    var table = BoundedTable<Int, Int>(limit: limit)
    var model: [(key: Int, value: Int)] = []
    var generator = SystemRandomNumberGenerator()
    for step in 0..<2_000 {
      let key = Int.random(in: 0..<8, using: &generator)
      let there = model.firstIndex { $0.key == key }
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        table[key] = nil
        if let there { model.remove(at: there) }
      case 1:
        let used = table.use(key) { $0 }
        #expect(used == there.map { model[$0].value })
        if let there { model.append(model.remove(at: there)) }
      default:
        table[key] = step
        if let there { model.remove(at: there) }
        model.append((key, step))
        if model.count > limit { model.removeFirst() }
      }
      #expect(table.elements.elementsEqual(model, by: ==), "step \(step)")
      #expect(table[key] == model.first { $0.key == key }?.value)
    }
  }

  private func keys(_ table: BoundedTable<String, Int>) -> [String] {
    table.elements.map(\.key)
  }
}
