// SPDX-License-Identifier: Apache-2.0
// How a value may be written by a server that gives it back: name -> value -> one byte for each character. Every family
// of proxy/core/spellings.hpp, written anew from what servers do, and what escapes make of it.

const bytesOf = (value) => [...Buffer.from(value, "latin1")];
const each = (value, write) => bytesOf(value).map((byte, i) => write(byte, i)).join("");
const hex = (byte) => byte.toString(16).padStart(2, "0");
const HEX = (byte) => hex(byte).toUpperCase();
const base64 = (text, kind = "base64") => Buffer.from(text, "latin1").toString(kind);
/// At each of the three alignments: what stands before the value has that many bytes, and something follows.
const aligned = (value, before, kind) => base64("u:".slice(2 - before) + value + "~~~", kind);
const lines = (text, width, end) => text.replace(new RegExp(`(.{${width}})`, "g"), `$1${end}`);
const percent = (kept, digits) => (value) =>
    each(value, (byte) => {
        const c = String.fromCharCode(byte);
        return /[A-Za-z0-9]/.test(c) || kept.includes(c) ? c : "%" + digits(byte);
    });
const json = (escaped, numbered, digits) => (value) =>
    each(value, (byte) => {
        const c = String.fromCharCode(byte);
        return numbered.includes(c) ? "\\u00" + digits(byte) : escaped.includes(c) ? "\\" + c : c;
    });
const html = (apostrophe) => (value) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", apostrophe);
const ways = [(b) => String.fromCharCode(b), (b) => "%" + hex(b), (b) => "\\u00" + hex(b), (b) => `&#${b};`];

export const spellings = {
    raw: (v) => v, lower: (v) => v.toLowerCase(), upper: (v) => v.toUpperCase(),
    reversed: (v) => [...v].reverse().join(""),
    basic: (v) => base64("user:" + v),
    base64_lines_64: (v) => lines(aligned("a".repeat(33) + v, 0), 64, "\n"),
    base64_lines_76: (v) => lines(aligned("a".repeat(40) + v, 0), 76, "\r\n"),
    hex_lines_60: (v) => lines("30".repeat(15) + each(v, hex), 60, "\n"),
    hex: (v) => each(v, hex), hex_upper: (v) => each(v, HEX),
    hex_blanks: (v) => bytesOf(v).map(hex).join(" "), hex_blanks_upper: (v) => bytesOf(v).map(HEX).join(" "),
    hex_colons: (v) => bytesOf(v).map(hex).join(":"), hex_colons_upper: (v) => bytesOf(v).map(HEX).join(":"),
    percent: encodeURIComponent, percent_lower: percent("-._~!*'()", hex),
    percent_rfc3986: percent("-._~", HEX), percent_rfc3986_lower: percent("-._~", hex),
    percent_uri: encodeURI, percent_uri_lower: percent("-._~!*'();/?:@&=+$,#", hex),
    percent_form: percent("-._*", HEX), percent_form_lower: percent("-._*", hex),
    percent_all: (v) => each(v, (b) => "%" + hex(b)), percent_all_upper: (v) => each(v, (b) => "%" + HEX(b)),
    json: json('"\\', "", hex), json_slash: json('"\\/', "", hex),
    json_html: json('"\\', "<>&", hex), json_html_slash: json('"\\/', "<>&", HEX),
    json_script: json('"\\', "<>&'+", hex), json_script_upper: json('"\\', "<>&'+", HEX),
    json_marks: json("", "<>&'+\"\\/", hex), json_marks_upper: json("", "<>&'+\"\\/", HEX),
    json_all: (v) => each(v, (b) => "\\u00" + hex(b)), json_all_upper: (v) => each(v, (b) => "\\u00" + HEX(b)),
    html: html("'"), html_decimal_apostrophe: html("&#39;"), html_named_apostrophe: html("&apos;"),
    html_hex_apostrophe: html("&#x27;"),
    html_decimal: (v) => each(v, (b) => `&#${b};`),
    html_hex: (v) => each(v, (b) => `&#x${hex(b)};`), html_hex_upper: (v) => each(v, (b) => `&#x${HEX(b)};`),
    utf16le: (v) => Buffer.from(v, "utf16le").toString("latin1"),
    utf16be: (v) => Buffer.from(v, "utf16le").swap16().toString("latin1"),
    mixed: (v) => each(v, (b, i) => ways[i % 4](b)),
    percent_of_json: (v) => encodeURIComponent(each(v, (b) => "\\u00" + hex(b))),
    html_of_percent: (v) => each(v, (b) => `&#37;${hex(b)}`),
};
const kinds = { base64: "base64", url: "base64url" };
for (const [name, kind] of Object.entries(kinds)) {
    for (const before of [0, 1, 2]) {
        spellings[`${name}_${before}`] = (v) => aligned(v, before, kind);
        for (const [outerName, outer] of Object.entries(kinds)) {
            for (const outside of [0, 1, 2]) {
                spellings[`${name}_${before}_in_${outerName}_${outside}`] = (v) =>
                    aligned(aligned(v, before, kind), outside, outer);
            }
        }
    }
}
for (const before of [0, 1, 2]) {
    const twice = (value, digits) => percent("", digits)(aligned(value, before, "base64"));
    spellings[`percent_base64_${before}`] = (v) => twice(v, HEX);
    spellings[`percent_base64_${before}_lower`] = (v) => twice(v, hex);
}

/// Fields of a head hold no control characters, and no line has an end.
export const inBodiesOnly = ["base64_lines_64", "base64_lines_76", "hex_lines_60", "utf16le", "utf16be"];
