//! A wrong use of an attribute is one error, at the line where the mistake is.

#[test]
fn each_wrong_use_is_one_error_at_its_line() {
    trybuild::TestCases::new().compile_fail("tests/wrong/*.rs");
}
