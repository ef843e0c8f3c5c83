"""Functions of lists, structs, maps and JSON."""

from __future__ import annotations

from typing import Final

from forklake.sql.vocabulary.declaration import Declaration, Nulls, declare


def _of_list(name: str, result: str, meaning: str) -> Declaration:
    return declare(f"list_{name}", "list T[]", result, meaning)


def _of_vectors(names: str, meaning: str) -> Declaration:
    return declare(names, "one DOUBLE[], other DOUBLE[]", "DOUBLE", meaning)


_LISTS: Final = (
    declare(
        "list_contains array_contains list_has array_has",
        "list T[], element T",
        "BOOLEAN",
        "Whether the list has the element.",
    ),
    declare(
        "list_position array_position list_indexof array_indexof",
        "list T[], element T",
        "INTEGER",
        "Where the element is first, counted from 1; NULL if it is not there.",
        Nulls.ARE_VALUES,
    ),
    declare("list_has_any array_has_any", "list T[], other T[]", "BOOLEAN", "Whether the lists share an element."),
    declare(
        "list_has_all array_has_all", "list T[], other T[]", "BOOLEAN", "Whether the list has all elements of another."
    ),
    declare(
        "list_intersect array_intersect",
        "list T[], other T[]",
        "T[]",
        "The elements that both have, each once.",
        Nulls.ARE_VALUES,
    ),
    declare("list_distinct array_distinct", "list T[]", "T[]", "Each element once, without NULL; in no order."),
    declare("list_unique array_unique", "list T[]", "UBIGINT", "How many different elements there are, without NULL."),
    declare("list_sort array_sort", "list T[], [order VARCHAR], [nulls VARCHAR]", "T[]", "The elements in order."),
    declare(
        "list_reverse_sort array_reverse_sort", "list T[], [nulls VARCHAR]", "T[]", "The elements in descending order."
    ),
    declare(
        "list_append array_append array_push_back",
        "list T[], element T",
        "T[]",
        "The list with an element at its end.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "list_prepend array_prepend",
        "element T, list T[]",
        "T[]",
        "The list with an element at its beginning.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "array_push_front", "list T[], element T", "T[]", "The list with an element at its beginning.", Nulls.ARE_VALUES
    ),
    declare(
        "list_concat array_concat list_cat array_cat",
        "list T[] ...",
        "T[]",
        "The lists after one another.",
        Nulls.LEFT_OUT,
    ),
    declare("list_reverse array_reverse", "list T[]", "T[]", "The elements in reverse order."),
    declare(
        "list_zip array_zip",
        "list ANY ...",
        "STRUCT[]",
        "Structs of the elements at each place; true as the last argument cuts to the shortest list.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "list_resize array_resize",
        "list T[], size BIGINT, [fill T]",
        "T[]",
        "The list cut, or filled up, to a size.",
        Nulls.ARE_VALUES,
    ),
    declare("list_select array_select", "list T[], places BIGINT[]", "T[]", "The elements at these places."),
    declare(
        "list_slice array_slice",
        "list ANY, begin BIGINT, end BIGINT, [step BIGINT]",
        "ANY",
        "A part of a list or a text, with both ends.",
    ),
    declare(
        "list_extract array_extract list_element",
        "list T[], place BIGINT",
        "T",
        "The element at a place, from 1, or from the end.",
    ),
    declare("array_length", "list T[], [dimension BIGINT]", "BIGINT", "How many elements the list has."),
    declare(
        "list_transform array_transform list_apply array_apply apply",
        "list T[], function LAMBDA",
        "ANY[]",
        "What a lambda makes of each element.",
    ),
    declare(
        "list_filter array_filter filter", "list T[], test LAMBDA", "T[]", "The elements for which a lambda is true."
    ),
    declare(
        "list_reduce array_reduce reduce",
        "list T[], function LAMBDA, [start T]",
        "T",
        "What is left when a lambda has combined all elements, two at a time.",
    ),
    declare(
        "list_aggregate array_aggregate list_aggr array_aggr aggregate",
        "list T[], name VARCHAR, [argument ANY ...]",
        "ANY",
        "The aggregate of that name over the elements.",
    ),
    _of_list("min", "T", "The least element."),
    _of_list("max", "T", "The greatest element."),
    _of_list("count", "BIGINT", "How many elements are not NULL."),
    _of_list("first", "T", "The first element."),
    _of_list("last", "T", "The last element."),
    _of_list("any_value", "T", "The first element that is not NULL."),
    _of_list("string_agg", "VARCHAR", "The elements as one text, with commas between them."),
    _of_list("sum", "NUMBER", "The sum of the elements."),
    _of_list("avg", "DOUBLE", "The average of the elements."),
    _of_list("product", "DOUBLE", "The product of the elements."),
    _of_list("bool_and", "BOOLEAN", "Whether all elements are true."),
    _of_list("bool_or", "BOOLEAN", "Whether any element is true."),
    _of_list("median", "NUMBER", "The element in the middle, or the mean of the two there."),
    _of_list("mode", "T", "The most frequent element."),
    _of_list("stddev_samp", "DOUBLE", "The standard deviation of a sample."),
    _of_list("stddev_pop", "DOUBLE", "The standard deviation of a population."),
    _of_list("var_samp", "DOUBLE", "The variance of a sample."),
    _of_list("var_pop", "DOUBLE", "The variance of a population."),
    _of_list("sem", "DOUBLE", "The standard error of the mean."),
    _of_list("skewness", "DOUBLE", "The skewness of a sample."),
    _of_list("kurtosis", "DOUBLE", "The excess kurtosis of a sample."),
    _of_list("kurtosis_pop", "DOUBLE", "The excess kurtosis of a population."),
    _of_list("mad", "NUMBER", "The median of the distances from the median."),
    _of_list("entropy", "DOUBLE", "The entropy of the elements, in bits."),
    _of_list("histogram", "MAP(T, UBIGINT)", "How often each element occurs."),
    _of_list("approx_count_distinct", "BIGINT", "About how many different elements there are."),
    _of_list("bit_and", "INTEGER", "The bits that all elements have."),
    _of_list("bit_or", "INTEGER", "The bits that any element has."),
    _of_list("bit_xor", "INTEGER", "The bits that an odd count of elements has."),
    declare("list_where array_where", "list T[], mask BOOLEAN[]", "T[]", "The elements at the places that are true."),
    declare(
        "list_grade_up array_grade_up grade_up",
        "list T[], [order VARCHAR], [nulls VARCHAR]",
        "BIGINT[]",
        "The places of the elements in order.",
    ),
    _of_vectors("list_cosine_similarity array_cosine_similarity", "The cosine of the angle between two vectors."),
    _of_vectors("list_cosine_distance array_cosine_distance", "One less the cosine of the angle between two vectors."),
    _of_vectors("list_distance array_distance", "The distance of two points, as the crow flies."),
    _of_vectors(
        "list_inner_product array_inner_product list_dot_product array_dot_product", "The inner product of two vectors."
    ),
    _of_vectors(
        "list_negative_inner_product array_negative_inner_product list_negative_dot_product array_negative_dot_product",
        "The inner product of two vectors with the other sign.",
    ),
    declare("flatten", "list T[][]", "T[]", "The elements of the lists within a list."),
    declare(
        "array_to_string",
        "list T[], separator VARCHAR",
        "VARCHAR",
        "The elements as one text, with a separator between them.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "range",
        "[start BIGINT], stop BIGINT, [step BIGINT]",
        "BIGINT[]",
        "The numbers from 0, or a start, up to a stop that is left out.",
    ),
    declare(
        "generate_series",
        "[start BIGINT], stop BIGINT, [step BIGINT]",
        "BIGINT[]",
        "The same with the stop among them.",
    ),
)
_RECORDS: Final = (
    declare("struct_pack", "name := value ANY ...", "STRUCT", "A struct of named values.", Nulls.ARE_VALUES),
    declare("row", "value ANY ...", "STRUCT", "A struct of values without names.", Nulls.ARE_VALUES),
    declare(
        "struct_insert",
        "struct STRUCT, name := value ANY ...",
        "STRUCT",
        "A struct with further fields.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "struct_update",
        "struct STRUCT, name := value ANY ...",
        "STRUCT",
        "A struct with other values of fields, or further ones.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "struct_concat",
        "struct STRUCT ...",
        "STRUCT",
        "The fields of all structs in one.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "struct_extract struct_extract_at", "struct STRUCT, field ANY", "ANY", "The value of a field, by name or place."
    ),
    declare("struct_keys", "struct STRUCT", "VARCHAR[]", "The names of the fields."),
    declare("map", "| keys K[], values V[]", "MAP(K, V)", "A map of the keys to the values at their places."),
    declare("map_from_entries", "entries STRUCT(K, V)[]", "MAP(K, V)", "A map of structs of a key and a value."),
    declare(
        "map_concat",
        "map MAP(K, V), other MAP(K, V) ...",
        "MAP(K, V)",
        "The entries of all maps; of equal keys the last counts.",
        Nulls.LEFT_OUT,
    ),
    declare("map_keys", "map MAP(K, V)", "K[]", "The keys."),
    declare("map_values", "map MAP(K, V)", "V[]", "The values."),
    declare("map_entries", "map MAP(K, V)", "STRUCT(K, V)[]", "The keys with their values."),
    declare(
        "element_at map_extract",
        "map MAP(K, V), key K",
        "V[]",
        "A list with the value of a key; empty if there is none.",
        Nulls.ARE_VALUES,
    ),
    declare("map_extract_value", "map MAP(K, V), key K", "V", "The value of a key; NULL if there is none."),
    declare("map_contains", "map MAP(K, V), key K", "BOOLEAN", "Whether the map has a key."),
    declare("cardinality", "map MAP(K, V)", "UBIGINT", "How many entries the map has."),
)
_VARIANTS: Final = (
    declare(
        "variant_typeof",
        "variant VARIANT",
        "VARCHAR",
        "What a variant holds: INT32, VARCHAR, ARRAY(2) and so on.",
        Nulls.ARE_VALUES,
    ),
    declare(
        "variant_extract",
        "variant VARIANT, field VARCHAR | variant VARIANT, place UINTEGER",
        "VARIANT",
        "A field of an object, or an element of an array, from 1; NULL if there is none.",
    ),
    declare("variant_normalize", "variant VARIANT", "VARIANT", "The same value, its objects sorted by their keys."),
)
_JSON: Final = (
    declare("json", "text VARCHAR", "JSON", "JSON without the spaces in it."),
    declare("json_valid", "text VARCHAR", "BOOLEAN", "Whether the text is JSON."),
    declare(
        "json_type", "json JSON, [path VARCHAR]", "VARCHAR", "The type of a value: OBJECT, ARRAY, VARCHAR and so on."
    ),
    declare(
        "json_extract json_extract_path",
        "json JSON, path VARCHAR",
        "JSON",
        "The value at a path, or a list for a list of paths or a path with wildcards.",
    ),
    declare(
        "json_extract_string json_extract_path_text",
        "json JSON, path VARCHAR",
        "VARCHAR",
        "The same as text, without quotes.",
    ),
    declare(
        "json_array_length",
        "json JSON, [path VARCHAR]",
        "UBIGINT",
        "How many elements an array has; 0 for other values.",
    ),
    declare("json_exists", "json JSON, path VARCHAR", "BOOLEAN", "Whether there is a value at a path."),
    declare("json_contains", "json JSON, part JSON", "BOOLEAN", "Whether a value has another in it, or is the same."),
    declare(
        "json_value", "json JSON, path VARCHAR", "VARCHAR", "The value at a path as text; NULL for objects and arrays."
    ),
    declare("json_structure", "json JSON", "JSON", "The types of a value and of all that is in it."),
    declare(
        "json_transform from_json",
        "json JSON, structure JSON",
        "ANY",
        "The value in the types that a structure names; NULL where it has another type.",
    ),
    declare(
        "json_transform_strict from_json_strict",
        "json JSON, structure JSON",
        "ANY",
        "The same; a value of another type is an error.",
    ),
    declare(
        "json_merge_patch",
        "json JSON, patch JSON ...",
        "JSON",
        "The object with the keys that patches change.",
        Nulls.ARE_VALUES,
    ),
    declare("json_pretty", "json JSON", "VARCHAR", "The value on several lines, for readers."),
    declare("json_keys", "json JSON, [path VARCHAR]", "VARCHAR[]", "The keys of an object."),
    declare("to_json json_quote row_to_json array_to_json", "value ANY", "JSON", "A value as JSON.", Nulls.GIVE_NULL),
    declare("json_object", "[key_or_value ANY ...]", "JSON", "An object of keys and values.", Nulls.ARE_VALUES),
    declare("json_array", "[value ANY ...]", "JSON", "An array of values.", Nulls.ARE_VALUES),
)
NESTED_FUNCTIONS: Final[tuple[Declaration, ...]] = (*_LISTS, *_RECORDS)
JSON_FUNCTIONS: Final[tuple[Declaration, ...]] = (*_JSON, *_VARIANTS)
