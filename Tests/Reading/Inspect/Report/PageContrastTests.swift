import Foundation
import Testing

@testable import TapelineInspect

/// The page's colours, as its style declares them: a pair for light and dark.
private struct PageColors {
  enum Theme: String, CaseIterable {
    case light, dark
  }

  private let declared: [String: (light: String, dark: String)]

  init() {
    let style = String(decoding: PackageResources.colors_css, as: UTF8.self)
    var declared: [String: (light: String, dark: String)] = [:]
    for match in style.matches(of: /--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/) {
      declared[String(match.1)] = (String(match.2), String(match.3))
    }
    self.declared = declared
  }

  /// WCAG 2.2, "contrast ratio".
  func contrast(of one: String, on other: String, in theme: Theme) throws -> Double {
    let luminances = [try luminance(of: one, in: theme), try luminance(of: other, in: theme)].sorted()
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)
  }

  /// WCAG 2.2, "relative luminance".
  private func luminance(of name: String, in theme: Theme) throws -> Double {
    let pair = try #require(declared[name], "--\(name)")
    let color = theme == .light ? pair.light : pair.dark
    let value = try #require(UInt32(color.dropFirst(), radix: 16))
    let parts = [16, 8, 0].map { shift in
      let part = Double(value >> UInt32(shift) & 0xFF) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}

@Suite("Contrast of the page")
struct PageContrastTests {
  private static let texts = [
    "text", "quiet", "accent", "good", "moved", "warn", "bad", "critical", "json-name", "json-string", "json-number",
    "json-other",
  ]
  private static let grounds = ["paper", "raised", "sunken", "stripe", "hover", "chosen"]

  @Test("WCAG 2.2 1.4.3: every colour of text can be read on every ground, in light and dark", arguments: texts)
  func contrast(of text: String) throws {
    let colors = PageColors()
    let own = ["good", "moved", "warn", "bad"].contains(text) ? ["\(text)-paper"] : []
    for theme in PageColors.Theme.allCases {
      for ground in Self.grounds + own {
        #expect(try colors.contrast(of: text, on: ground, in: theme) >= 4.5, "\(text) on \(ground), \(theme)")
      }
      #expect(try colors.contrast(of: "on-accent", on: "accent", in: theme) >= 4.5)
    }
  }
}
