"""Functions of text, bytes and patterns."""

from __future__ import annotations

from typing import Final

from forklake.sql.vocabulary.declaration import Declaration, Nulls, declare

TEXT_FUNCTIONS: Final[tuple[Declaration, ...]] = (
    declare("lower lcase", "text VARCHAR", "VARCHAR", "The text in lower case."),
    declare("upper ucase", "text VARCHAR", "VARCHAR", "The text in upper case."),
    declare(
        "length len char_length character_length",
        "text VARCHAR | list T[]",
        "BIGINT",
        "How many characters a text, or elements a list has.",
    ),
    declare("strlen", "text VARCHAR", "BIGINT", "How many bytes the text has in UTF-8."),
    declare("octet_length", "value BLOB", "BIGINT", "How many bytes the value has."),
    declare("bit_length", "text VARCHAR", "BIGINT", "How many bits the text has in UTF-8."),
    declare(
        "starts_with prefix ^@", "text VARCHAR, beginning VARCHAR", "BOOLEAN", "Whether the text begins with another."
    ),
    declare("ends_with suffix", "text VARCHAR, ending VARCHAR", "BOOLEAN", "Whether the text ends with another."),
    declare(
        "contains",
        "text VARCHAR, part VARCHAR | list T[], element T | map MAP(K, V), key K",
        "BOOLEAN",
        "Whether a text has a part, a list an element, or a map a key.",
    ),
    declare(
        "strpos instr position",
        "text VARCHAR, part VARCHAR",
        "BIGINT",
        "Where a part begins in the text, counted from 1; 0 if it is not there.",
    ),
    declare(
        "substring substr",
        "text VARCHAR, start BIGINT, [length BIGINT]",
        "VARCHAR",
        "The part that begins at a character, counted from 1, or from the end if negative.",
    ),
    declare(
        "left left_grapheme",
        "text VARCHAR, count BIGINT",
        "VARCHAR",
        "The first characters; all but the last, if the count is negative.",
    ),
    declare(
        "right right_grapheme",
        "text VARCHAR, count BIGINT",
        "VARCHAR",
        "The last characters; all but the first, if the count is negative.",
    ),
    declare(
        "trim", "text VARCHAR, [characters VARCHAR]", "VARCHAR", "The text without spaces, or characters, around it."
    ),
    declare("ltrim", "text VARCHAR, [characters VARCHAR]", "VARCHAR", "The text without those at its beginning."),
    declare("rtrim", "text VARCHAR, [characters VARCHAR]", "VARCHAR", "The text without those at its end."),
    declare("lpad", "text VARCHAR, count INTEGER, fill VARCHAR", "VARCHAR", "The text filled up on the left, or cut."),
    declare("rpad", "text VARCHAR, count INTEGER, fill VARCHAR", "VARCHAR", "The text filled up on the right, or cut."),
    declare("concat", "value ANY ...", "ANY", "All values as one text, or all lists as one list.", Nulls.LEFT_OUT),
    declare(
        "concat_ws",
        "separator VARCHAR, value ANY ...",
        "VARCHAR",
        "All values as one text, with a separator between them; NULL if that is.",
        Nulls.LEFT_OUT,
    ),
    declare(
        "repeat", "text VARCHAR, count BIGINT | list T[], count BIGINT", "ANY", "A text, or a list, several times over."
    ),
    declare("replace", "text VARCHAR, old VARCHAR, new VARCHAR", "VARCHAR", "The text with each occurrence replaced."),
    declare(
        "translate",
        "text VARCHAR, from VARCHAR, to VARCHAR",
        "VARCHAR",
        "The text with each character of one set replaced by that of another at its place.",
    ),
    declare("reverse", "text VARCHAR", "VARCHAR", "The characters in reverse order."),
    declare(
        "string_split str_split string_to_array split",
        "text VARCHAR, separator VARCHAR",
        "VARCHAR[]",
        "The parts between separators.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "split_part",
        "text VARCHAR, separator VARCHAR, place BIGINT",
        "VARCHAR",
        "One of the parts between separators, counted from 1, or from the end if negative.",
    ),
    declare("ascii", "text VARCHAR", "INTEGER", "The code point of the first character; 0 for none."),
    declare("ord unicode", "text VARCHAR", "INTEGER", "The code point of the first character; -1 for none."),
    declare("chr", "code INTEGER", "VARCHAR", "The character of a code point."),
    declare("levenshtein editdist3", "one VARCHAR, other VARCHAR", "BIGINT", "How many edits make one text the other."),
    declare(
        "damerau_levenshtein",
        "one VARCHAR, other VARCHAR",
        "BIGINT",
        "How many edits make one text the other, with neighbours swapped as one.",
    ),
    declare(
        "hamming mismatches", "one VARCHAR, other VARCHAR", "BIGINT", "At how many places texts of one length differ."
    ),
    declare(
        "jaccard",
        "one VARCHAR, other VARCHAR",
        "DOUBLE",
        "The share of their different characters that texts have both.",
    ),
    declare(
        "jaro_similarity",
        "one VARCHAR, other VARCHAR, [cutoff DOUBLE]",
        "DOUBLE",
        "How alike texts are, from 0 to 1; 0 below a cutoff.",
    ),
    declare(
        "jaro_winkler_similarity",
        "one VARCHAR, other VARCHAR, [cutoff DOUBLE]",
        "DOUBLE",
        "The same, where equal beginnings count more.",
    ),
    declare("strip_accents", "text VARCHAR", "VARCHAR", "The text without accents."),
    declare("nfc_normalize", "text VARCHAR", "VARCHAR", "The text in Unicode's form NFC."),
    declare("length_grapheme", "text VARCHAR", "BIGINT", "How many characters the text has, as readers count them."),
    declare(
        "substring_grapheme",
        "text VARCHAR, start BIGINT, [length BIGINT]",
        "VARCHAR",
        "The same part as of substring, of characters as readers count them.",
    ),
    declare("url_encode", "text VARCHAR", "VARCHAR", "The text as it is written in a URL."),
    declare("url_decode", "text VARCHAR", "VARCHAR", "The text that is written in a URL."),
    declare(
        "parse_filename",
        "path VARCHAR, [without_extension BOOLEAN], [separators VARCHAR]",
        "VARCHAR",
        "The last part of a path, with its extension or without.",
    ),
    declare("parse_path", "path VARCHAR, [separators VARCHAR]", "VARCHAR[]", "The parts of a path."),
    declare("parse_dirname", "path VARCHAR, [separators VARCHAR]", "VARCHAR", "The first directory of a path."),
    declare("parse_dirpath", "path VARCHAR, [separators VARCHAR]", "VARCHAR", "The path without its last part."),
    declare("regexp_escape", "text VARCHAR", "VARCHAR", "The regular expression that fits the text alone."),
    declare(
        "format_bytes formatreadablesize", "bytes BIGINT", "VARCHAR", "A count of bytes for readers, such as 1.4 GiB."
    ),
    declare("formatreadabledecimalsize", "bytes BIGINT", "VARCHAR", "The same in powers of 1000, such as 1.5 GB."),
    declare(
        "bar",
        "x DOUBLE, least DOUBLE, greatest DOUBLE, [width DOUBLE]",
        "VARCHAR",
        "A bar as long as the number says between two others.",
    ),
    declare(
        "hex to_hex",
        "value VARCHAR | value BLOB | value INTEGER",
        "VARCHAR",
        "The bytes, or the number, in hexadecimal digits.",
    ),
    declare("unhex from_hex", "text VARCHAR", "BLOB", "The bytes that hexadecimal digits tell."),
    declare("bin", "value BIGINT", "VARCHAR", "The number in binary digits."),
    declare("to_binary", "value VARCHAR | value BIGINT", "VARCHAR", "The bytes, or the number, in binary digits."),
    declare("from_binary unbin", "text VARCHAR", "BLOB", "The bytes that binary digits tell."),
    declare(
        "to_base",
        "value BIGINT, base INTEGER, [least INTEGER]",
        "VARCHAR",
        "The number in digits of a base from 2 to 36, with a least count of them.",
    ),
    declare("base64 to_base64", "value BLOB", "VARCHAR", "The bytes in base 64."),
    declare("from_base64", "text VARCHAR", "BLOB", "The bytes that base 64 tells."),
    declare("encode", "text VARCHAR", "BLOB", "The text's bytes in UTF-8."),
    declare("decode", "value BLOB", "VARCHAR", "The text of bytes in UTF-8."),
    declare("md5", "value VARCHAR | value BLOB", "VARCHAR", "The MD5 hash, in hexadecimal digits."),
    declare("sha1", "value VARCHAR | value BLOB", "VARCHAR", "The SHA-1 hash, in hexadecimal digits."),
    declare("sha256", "value VARCHAR | value BLOB", "VARCHAR", "The SHA-256 hash, in hexadecimal digits."),
    declare("printf", "format VARCHAR, [value ANY ...]", "VARCHAR", "The format with its %s, %d and so on filled in."),
    declare("format", "format VARCHAR, [value ANY ...]", "VARCHAR", "The format with its {} filled in."),
    declare(
        "regexp_matches",
        "text VARCHAR, pattern VARCHAR, [options VARCHAR]",
        "BOOLEAN",
        "Whether a part of the text fits the regular expression.",
    ),
    declare(
        "regexp_full_match",
        "text VARCHAR, pattern VARCHAR, [options VARCHAR]",
        "BOOLEAN",
        "Whether all of the text fits the regular expression.",
    ),
    declare(
        "regexp_replace",
        "text VARCHAR, pattern VARCHAR, new VARCHAR, [options VARCHAR]",
        "VARCHAR",
        "The text with the first fitting part replaced; with each, if the options have g.",
    ),
    declare(
        "regexp_extract",
        "text VARCHAR, pattern VARCHAR, [group ANY], [options VARCHAR]",
        "ANY",
        "The first fitting part, or a group of it.",
    ),
    declare(
        "regexp_extract_all",
        "text VARCHAR, pattern VARCHAR, [group ANY], [options VARCHAR]",
        "ANY",
        "Each fitting part, or a group of each.",
    ),
    declare(
        "regexp_split_to_array str_split_regex string_split_regex",
        "text VARCHAR, pattern VARCHAR, [options VARCHAR]",
        "VARCHAR[]",
        "What is between the parts that fit.",
        Nulls.ARE_VALUES,
    ),
)
