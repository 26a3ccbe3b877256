"""The contracts that stores share: their assertions are explained as those of tests are."""

import pytest

pytest.register_assert_rewrite("graph_contract", "vector_contract", "kv_contract")
